"""What the command line makes of builtins, standard input and files with options: ours and sysbench 1.0.20 itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sysbench_program import Program

SCRIPT = """
print("loaded", sysbench.cmdline.command)
function prepare() print("prepared", sysbench.opt.foo) end
function event() end
"""

REPEATS = """
function prepare()
  local connection = sysbench.sql.driver():connect()
  for i = 1, 5 do pcall(connection.disconnect, connection) end
end
"""

CPU = "cpu --events=3 --time=5"
UNKNOWN = "WARNING: Global option 'foo' will not be exported, because the type is unknown\n"


@pytest.fixture(params=["program", "sysbench"])
def either(request: pytest.FixtureRequest) -> Program:
    """Ours, and the original to hold the expectations against."""
    found: Program = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.lua").write_text(SCRIPT)
    (tmp_path / "repeats.lua").write_text(REPEATS)
    (tmp_path / "options.lua").write_text('sysbench.cmdline.options = { size = { "how many", 3 } }\n')
    (tmp_path / "unknown.cnf").write_text("foo=1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "stderr", "exit_code"),
    [
        ("fileio --invalid-option prepare", "invalid option: --invalid-option\n", 1),
        ("memory", "The 'memory' test requires a command argument. See 'sysbench memory help'\n", 1),
        ("cpu --nosuch=1 help", "invalid option: --nosuch=1\n", 1),
        ("cpu prepare", "'cpu' test does not implement the 'prepare' command.\n", 1),
        ("cpu nosuch", "Unknown command: nosuch\n", 1),
        ("oltp_read_write nosuch", "Unknown command: nosuch\n", 1),
        ("oltp_read_write --nosuch=1 prepare", "invalid option: --nosuch=1\n", 1),
        ("bulk_insert prewarm", "Unknown command: prewarm\n", 1),
        ("bulk_insert", "", 0),
        ("own.lua help", "'own.lua' test does not implement the 'help' command.\n", 1),
        ("./own.lua cleanup", "'own.lua' test does not implement the 'cleanup' command.\n", 1),
    ],
)
def test_what_cannot_be_done_is_complained_of(
    either: Program, folder: Path, arguments: str, stderr: str, exit_code: int
) -> None:
    outcome = either.run(arguments, folder=folder)
    assert (outcome.stderr, outcome.exit_code) == (stderr, exit_code)


def test_a_bundled_script_will_be_told_what_to_do(either: Program, package_scripts: Path) -> None:
    outcome = either.run("oltp_point_select")
    assert outcome.exit_code == 1
    assert (
        f"FATAL: {package_scripts}/oltp_common.lua:28: Command is required. "
        "Supported commands: prepare, prewarm, run, cleanup, help\n" in outcome.stdout
    )


@pytest.mark.parametrize(
    ("place", "lua_path"),
    [
        ("oltp_common.lua", None),
        ("src/lua/oltp_common.lua", None),
        ("oltp_common/init.lua", None),
        (".luarocks/share/lua/5.1/oltp_common.lua", None),
        ("modules/oltp_common.lua", "./modules/?.lua;;"),
        ("modules/oltp_point_select.lua", "./modules/?.lua;;"),
    ],
)
def test_a_module_of_the_users_takes_the_place_of_the_bundled_one(
    either: Program, tmp_path: Path, package_scripts: Path, place: str, lua_path: str | None
) -> None:
    assert package_scripts.exists()
    own = tmp_path / place
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text('print("mine")\nsysbench.cmdline.commands = { prepare = { function() print("prepared") end } }\n')
    environment = {"HOME": str(tmp_path), **({"LUA_PATH": lua_path} if lua_path else {})}
    outcome = either.run("oltp_point_select prepare", folder=tmp_path, environment=environment)
    assert outcome.stdout.endswith("\n\nmine\nprepared\n"), outcome.text
    assert outcome.exit_code == 0


@pytest.mark.parametrize("arguments", ["- prepare", "- run", "-", "", "- nosuch --nosuch=1"])
def test_a_script_on_standard_input_is_only_loaded(either: Program, arguments: str) -> None:
    outcome = either.run(arguments, stdin=SCRIPT)
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    command = arguments.split()[1] if " " in arguments else "nil"
    assert outcome.stdout.endswith(f"\n\nloaded\t{command}\n")


@pytest.mark.parametrize(
    ("name", "title"), [("options.lua", "options.lua"), ("./options.lua", "options.lua"), ("options", "options")]
)
def test_help_of_a_script_is_there_at_any_verbosity(either: Program, folder: Path, name: str, title: str) -> None:
    outcome = either.run(f"{name} --verbosity=0 help", folder=folder)
    assert outcome.text == f"{title} options:\n  --size=N how many [3]\n\n--- exit code: 0\n"


def test_options_of_a_file_that_nobody_knows_are_warned_of(either: Program, folder: Path) -> None:
    outcome = either.run("own.lua --config-file=unknown.cnf prepare", folder=folder)
    assert outcome.stdout.endswith(f"loaded\tprepare\n{UNKNOWN}prepared\tnil\n")
    given = either.run("own.lua --config-file=unknown.cnf --foo=3 prepare", folder=folder)
    assert given.stdout.count("Unknown argument type: 0") == 2
    assert (given.stderr, given.exit_code) == ("invalid option: --foo=3\n", 1)


def test_each_user_of_a_bundled_script_is_warned_of_them(either: Program, folder: Path, package_scripts: Path) -> None:
    assert package_scripts.exists()
    arguments = "oltp_point_select --mysql-dry-run --threads=3 --events=3 --config-file=unknown.cnf run"
    outcome = either.run(arguments, folder=folder)
    warned = outcome.stdout.split("Threads started!")[0]
    folded = warned.count("(last message repeated 1 times)") + 2 * warned.count("(last message repeated 2 times)")
    assert warned.count(UNKNOWN) + folded == 4, "three users and the main thread"


def test_messages_that_were_only_counted_at_the_end_are_not_told(either: Program, folder: Path) -> None:
    outcome = either.run("repeats.lua --mysql-dry-run prepare", folder=folder)
    assert outcome.stdout.count("ALERT: attempt to close an already closed connection\n") == 1
    assert "repeated" not in outcome.stdout


def test_debugging_tells_of_threads_as_they_start(either: Program) -> None:
    outcome = either.run(f"{CPU} --debug --rate=1000 --report-interval=1 --report-checkpoints=1 run")
    assert "\n\nDoing CPU performance benchmark\n\nPrime numbers limit: 10000\n\n" in outcome.stdout
    for started in ("Reporting thread", "Checkpoints report thread", "Event generating thread", "Worker thread (#0)"):
        assert outcome.stdout.count(f"DEBUG: {started} started\n") == 1


@pytest.mark.parametrize(("option", "places"), [("--mysql-host=", "hosts"), ("--mysql-port=", "ports")])
def test_a_driver_without_a_place_to_go_is_refused(either: Program, option: str, places: str) -> None:
    outcome = either.run(f"oltp_point_select --mysql-dry-run --events=1 {option} run")
    assert f"\n\nFATAL: No MySQL {places} specified, aborting\n" in outcome.stdout
    assert outcome.exit_code == 1


def test_events_are_missed_after_init(either: Program, folder: Path) -> None:
    (folder / "eventless.lua").write_text('function init() print("init") end\n')
    outcome = either.run("eventless.lua run", folder=folder)
    assert outcome.stdout.endswith("\n\ninit\nFATAL: cannot find the event() function in eventless.lua\n")
    assert outcome.exit_code == 1


def test_the_old_option_for_the_script_is_seen_by_it(either: Program, folder: Path) -> None:
    (folder / "name.lua").write_text("function prepare() print(sysbench.opt.test) end\n")
    assert either.run("--test=name.lua prepare", folder=folder).stdout.endswith("\n\nname.lua\n")


def test_a_limit_of_no_primes_is_refused(either: Program) -> None:
    outcome = either.run("cpu --cpu-max-prime=0 run")
    assert outcome.stdout.endswith("\n\nFATAL: Invalid value of cpu-max-prime: 0.\n")
    assert outcome.exit_code == 1


ODD = ["--tables=1.5", "--tables=0", "--table-size=2.5", "--table-size=-1", "--range-size=0.5", "--point-selects=1.5"]


@pytest.mark.parametrize("options", [*ODD, "--index-updates=-2 --sum-ranges=0.5"])
def test_values_that_are_no_counts_do_what_they_do_in_the_scripts(
    program: Program, sysbench: Program, package_scripts: Path, options: str
) -> None:
    """Some the native form understands, others it leaves to the script."""
    assert package_scripts.exists()
    for command in ("prepare", "--events=3 --rand-type=uniform run"):
        arguments = f"oltp_read_write --mysql-dry-run {options} {command}"
        given, expected = program.run(arguments), sysbench.run(arguments)
        assert _counts(given.stdout) == _counts(expected.stdout)
        assert (given.stderr, given.exit_code) == (expected.stderr, expected.exit_code)


@pytest.mark.parametrize("name", ["oltp_insert", "oltp_delete", "select_random_points", "bulk_insert"])
def test_a_dry_run_of_a_bundled_script_counts_as_sysbench_does(
    program: Program, sysbench: Program, package_scripts: Path, name: str
) -> None:
    assert package_scripts.exists()
    arguments = f"{name} --mysql-dry-run --events=3 --rand-type=uniform run"
    assert _counts(program.run(arguments).text) == _counts(sysbench.run(arguments).text)


def _counts(text: str) -> str:
    """All but what was measured."""
    return re.sub(r" +", " ", re.sub(r"\d+\.\d+", "#", text))


@pytest.mark.parametrize(("word", "status"), [("off", "false"), ("on", "true"), ("opt=1", "true"), ("", "true")])
def test_the_master_branch_gives_orders_to_the_compiler(program: Program, word: str, status: str) -> None:
    arguments = ["--dialect=1.1", f"--luajit-cmd={word}"]
    outcome = program.run(arguments, stdin="print(jit.status())")
    assert outcome.stdout.split("\n\n")[1].startswith(status)
    refused = program.run(["--dialect=1.1", "--luajit-cmd=nosuch"])
    assert refused.stdout.endswith("FATAL: unknown luaJIT command or jit.* modules not installed\n")
    assert refused.exit_code == 1


def test_a_forced_shutdown_calls_the_hook_for_the_report(either: Program, folder: Path) -> None:
    (folder / "forced.lua").write_text(
        "ffi.cdef('int usleep(unsigned int);')\n"
        "function event() ffi.C.usleep(4000000) end\n"
        'sysbench.hooks.report_cumulative = function(stat) print("hook", stat.events) end\n'
        'function done() print("done") end\n'
    )
    outcome = either.run("forced.lua --time=1 --forced-shutdown=1 --histogram run", folder=folder)
    _, end = outcome.stdout.split("FATAL: The --max-time limit has expired, forcing shutdown...\n")
    assert (end.strip(), outcome.exit_code) == ("hook\t0", 2)
