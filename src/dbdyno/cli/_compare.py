"""`dbdyno compare`: compares engines named on the command line, as a study made of its options."""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from dbdyno.cli._folder import default_folder, results_folder
from dbdyno.cli._help import Parser
from dbdyno.cli._help import add_command as add
from dbdyno.cli._options import add_target_half_width, parse_share
from dbdyno.cli._other_words import meant_option, whole_number
from dbdyno.cli._run import add_run_options
from dbdyno.cli._running_servers import add_server_options, quoted, running_servers, server_lines
from dbdyno.core import StudyError, parse_duration_ns, with_unit
from dbdyno.engines import parameters_of_option, vocabulary
from dbdyno.nearest import nearest
from dbdyno.study import BUDGET, ServerAddress, Study, family_name, full_name, options_of, parse_study, study_text
from dbdyno.study import OPTION_ALIASES as ALIASES

_STORY = """\
Compares engines: fetches them, configures them alike, fills the data once for each, and measures every combination of
memory tier and concurrency in random, interleaved order. Each run starts from the same restored data. The comparison's
study file is written into the results folder; edit it and run it again with `dbdyno run`.

  dbdyno compare mariadb:11.8 mariadb:11.8+rocksdb mysql:9.7 --workload sysbench/oltp_read_write \\
      --tables 4 --rows 50000 --tier 64MB,512MB --concurrency 1,4,16 \\
      --window 12s --warm-up 4s --repeats 2 -o results/first

With --warm-up auto, a run warms up until its throughput is steady and the server has settled (cache, redo log,
dirty pages, purge). With --window auto, it is measured until its mean is known to --target-half-width:

  dbdyno compare mariadb:11.8 mysql:9.7 --warm-up auto --window auto --target-half-width 2% -o results/auto

Give options of the workload directly: --tables, --rows, --rand-type zipfian, --range-size 10, or
--dialect hammerdb --warehouses 10; `dbdyno-load workloads` lists them all.
--vary compares several values of one thing: an option of the workload, such as LinkBench's table compression
(--workload linkbench --vary table_compression=none,page-compressed), or a setting of the servers. Several --vary
are combined:

  dbdyno compare mariadb:11.8 mysql:9.7 --vary redo.capacity=256MB,4GB

--set sets all servers alike: --set redo.capacity=4GB --set commit.durability=relaxed. dbdyno translates each setting
into every engine's own options; `dbdyno settings` lists them.

A server that is already running is compared by its address. Its password comes from DBDYNO_SERVER_PASSWORD or from
--server-password-file, never from the command line. dbdyno fills tables in one new schema there and changes nothing
else; docs/guides/running-server.md lists the privileges that the account needs:

  dbdyno compare --server bench@127.0.0.1:3306 --server bench@socket:/run/mysqld/mysqld.sock

Memory is counted in powers of two, as the servers count it: 64MB is 67,108,864 bytes.
"""


_SELDOM = frozenset(
    {
        "--server-user", "--server-password-file", "--server-password-env", "--server-tls", "--server-tls-ca",
        "--protocol", "--policy", "--pin-server", "--pin-client", "--warm-up-max", "--window-max",
        "--target-half-width", "--sentinel", "--seed", "--equivalence-events", "--name", "--retry-failed",
        "--no-calibrate", "--strict-audit", "--force", "--allow-altered", "--host-address", "--host-home",
        "--client",
    }
)  # fmt: skip


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "compare", _STORY, compare)
    parser.add_argument("targets", nargs="*", metavar="ENGINE", help="FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]")
    _add_load_options(parser)
    _add_server_options(parser)
    _add_measurement_options(parser)
    add_run_options(parser)
    parser.seldom, parser.takes_unknown = _SELDOM, True


def compare(choices: argparse.Namespace) -> int:
    """Run the study that the options mean."""
    from dbdyno.cli._execute import run_to_report  # late: see _main
    from dbdyno.hosts import LocalHost

    _check_words(choices)
    workload_lines = _workload_option_lines(choices.workload, choices.workload_options, choices.parser.options())
    if not (choices.targets or choices.servers):
        choices.parser.error("name what to compare, such as mariadb:11.8 mysql:9.7")
    servers = running_servers(choices, LocalHost()) if choices.servers else {}
    default_output = default_folder([*choices.targets, *servers], datetime.now(UTC).astimezone().date())
    output = results_folder(choices.output, choices.name) if choices.output or choices.name else default_output
    choices.name = choices.name or output.name
    return run_to_report(parse_choices(choices, workload_lines, servers), output, choices)


def _add_load_options(parser: Parser) -> None:
    load = parser.add_argument_group("load", "also takes any option of the workload, such as --tables 4 --rows 50000")
    load.add_argument("--workload", default="sysbench/oltp_read_write", help="what clients do (default %(default)s)")
    load.add_argument("--concurrency", default="1,4,16", metavar="N,..", help="connections (default %(default)s)")
    for alias in ("--users", "--threads", "--connections"):
        _add_alias(load, alias, "concurrency")
    load.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=V,..",
        help="run each engine with each value of a workload option or setting; several are combined",
    )
    load.add_argument("--each", dest="vary", action="append", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    load.add_argument("--rate", metavar="R", help="transactions due per second (default: closed loop)")
    load.add_argument(
        "--route",
        metavar="R,..",
        help="socket, loopback, network (default socket; loopback for a --server with a host)",
    )
    load.add_argument("--protocol", default="prepared", help="prepared or text (default %(default)s)")


def _add_server_options(parser: Parser) -> None:
    server = parser.add_argument_group("server")
    server.add_argument("--tier", default="512MB", metavar="SIZE,..", help="memory budgets (default %(default)s)")
    _add_alias(server, "--memory", "tier")
    add_server_options(server)
    server.add_argument("--host", metavar="USER@HOST", help="run the servers on this host, over ssh")
    server.add_argument(
        "--host-address", metavar="A", help="with --host: IP address of its interface for --route network"
    )
    server.add_argument("--host-home", metavar="DIR", help="with --host: DBDYNO_HOME there (default ~/.cache/dbdyno)")
    server.add_argument(
        "--client", metavar="HOST,..", help="with --host: drive --route network from these hosts, as one client"
    )
    server.add_argument("--pin-server", metavar="CPUS", help="processors for the server, such as 0 or 0-3")
    server.add_argument("--pin-client", metavar="CPUS", help="processors for the load generator")
    server.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting for all servers, such as redo.capacity=4GB",
    )
    server.add_argument(
        "--policy",
        choices=("aligned", "vendor"),
        default="aligned",
        help="aligned: equal settings; vendor: vendor defaults (default %(default)s)",
    )


def _add_measurement_options(parser: Parser) -> None:
    measure = parser.add_argument_group("measurement")
    measure.add_argument(
        "--warm-up",
        default="10s",
        metavar="TIME",
        help="time under load before measuring, or auto: until settled (default 10s)",
    )
    measure.add_argument("--warm-up-max", metavar="TIME", help="longest --warm-up auto (default 1800s)")
    measure.add_argument(
        "--window",
        default="60s",
        metavar="TIME",
        help="measured time, or auto: until --target-half-width is met (default 60s)",
    )
    for alias in ("--time", "--duration"):
        _add_alias(measure, alias, "window")
    measure.add_argument("--window-max", metavar="TIME", help="longest --window auto (default 900s)")
    add_target_half_width(measure, "--window auto: half-width of the mean to reach")
    measure.add_argument("--repeats", type=int, default=2, metavar="N", help="runs of each cell (default %(default)s)")
    measure.add_argument(
        "--sentinel", metavar="ENGINE", help="one of the engines, run between the others to detect machine drift"
    )
    measure.add_argument("--seed", type=int, default=1, metavar="N", help="seed of order, rows and load (default 1)")
    measure.add_argument(
        "--equivalence-events",
        type=int,
        default=500,
        metavar="N",
        help="events sent to each target before the runs to compare results; 0: none (default %(default)s)",
    )
    measure.add_argument("--name", default="", help="name of the study (default: name of the results folder)")


def _add_alias(group: argparse._ArgumentGroup, alias: str, name: str) -> None:
    """Take another tool's word for an option, too; help does not list it, and messages name it as it was typed."""
    group.add_argument(alias, dest=name, action=_Alias, default=argparse.SUPPRESS, help=argparse.SUPPRESS)


class _Alias(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, choices: argparse.Namespace, value: object, option: str | None = None
    ) -> None:
        setattr(choices, self.dest, value)
        choices.typed = {**getattr(choices, "typed", {}), self.dest: option}


_SOURCE = "command line"


def parse_choices(
    choices: argparse.Namespace, own: Sequence[str], servers: Mapping[str, tuple[str, ServerAddress]]
) -> Study:
    """Build the study file that the options mean and read it, so that both ways have one set of checks.

    Parameters
    ----------
    own : options of the workload, as lines
    servers : those that run already, see `running_servers`

    Raises
    ------
    StudyError : a value is wrong; the message names the option
    """
    lines = [f"name = {quoted(choices.name)}"] if choices.name else []
    lines.append(f"policy = {quoted(choices.policy)}")
    named = [*((engine, engine) for engine in choices.targets), *((name, servers[name][0]) for name in servers)]
    if choices.vary:
        lines += _varied_target_lines(named, choices.vary, choices.workload)
    else:
        lines += [f"targets = {_quoted_list(choices.targets)}"] if choices.targets else []
        lines += [line for name in servers for line in _target_lines(name, servers[name][0])]
    lines += [line for _, address in servers.values() for line in server_lines(address)]
    lines += _host_lines(choices)
    lines += ["[workload]", f"name = {quoted(choices.workload)}", *own]
    lines += ["[axes]", f"tier = {_quoted_list(choices.tier.split(','))}"]
    by_host = any(address.host for _, address in servers.values())
    route = choices.route or ("loopback" if by_host else "socket")
    lines += [f"concurrency = {_whole_numbers_list(choices.concurrency)}", f"route = {_quoted_list(route.split(','))}"]
    lines += ["[settings]", *(_setting_line(word) for word in choices.settings)]
    lines += ["[measure]", f"warm_up = {quoted(choices.warm_up)}", f"window = {quoted(choices.window)}"]
    lines += _adaptive_length_lines(choices)
    lines += [f"sentinel = {quoted(choices.sentinel)}"] if choices.sentinel else []
    lines += [f"repeats = {choices.repeats}", f"seed = {choices.seed}", f"protocol = {quoted(choices.protocol)}"]
    lines.append(f"equivalence_events = {choices.equivalence_events}")
    if choices.rate is not None:
        lines += ["[pacing]", f"rate_per_s = {_parse_rate(choices.rate)}"]
    pins = {"server": choices.pin_server, "client": choices.pin_client}
    lines += ["[pinning]", *(f"{role} = {quoted(cpus)}" for role, cpus in pins.items() if cpus)]
    try:
        study = parse_study("\n".join(lines), _SOURCE)
    except StudyError as error:
        # The line number is one of a file that the user never saw, and its keys are options here.
        problem = re.sub(rf"^{_SOURCE}:\d+: ", "", error.what)
        key = re.match(r"'(\w+)' is", problem)
        if key and key[1] in vars(choices):
            option = getattr(choices, "typed", {}).get(key[1], f"--{key[1].replace('_', '-')}")
            problem = f"{option} is{problem[key.end() :]}"
        raise StudyError(problem, error.why, error.remedy) from error
    # Written and read once more: what goes into the results folder is what is run.
    return parse_study(study_text(study), _SOURCE)


def _host_lines(choices: argparse.Namespace) -> list[str]:
    """The hosts of the servers and of the clients as tables of a study file."""
    host_values = {"address": choices.host_address, "home": choices.host_home}
    if (choices.client or "").isdigit():
        raise StudyError(
            f"--client {choices.client} names no host", "", f"did you mean --concurrency {choices.client}?"
        )
    if choices.host is None:
        dependent_options = [f"--host-{key}" for key, value in host_values.items() if value is not None]
        for option in [*dependent_options, *(["--client"] if choices.client is not None else [])]:
            raise StudyError(f"{option} needs --host", "", "add --host USER@HOST")
        return []
    values = [f"{key} = {quoted(value)}" for key, value in host_values.items() if value is not None]
    clients = [word.strip() for word in (choices.client or "").split(",") if word.strip()]
    tables = {_host_name(client): [f"ssh = {quoted(client)}"] for client in clients}
    server = _host_name(choices.host)
    tables[server] = [f"ssh = {quoted(choices.host)}", *values]
    lines = [line for name, rows in tables.items() for line in (f"[hosts.{name}]", *rows)]
    lines += ["[bench.a]", f"server = {server}"]
    return [*lines, f"client = [{', '.join(map(_host_name, clients))}]"] if clients else lines


def _host_name(ssh: str) -> str:
    return quoted(ssh.removeprefix("ssh://").rpartition("@")[2])


def _adaptive_length_lines(choices: argparse.Namespace) -> list[str]:
    length_choices = {"warm_up_max": choices.warm_up_max, "window_max": choices.window_max}
    lines = [f"{key} = {quoted(value)}" for key, value in length_choices.items() if value is not None]
    if choices.target_half_width is not None:
        share = parse_share(choices.target_half_width, "half-width", "--target-half-width 2%")
        lines.append(f"target_half_width = {share}")
    if choices.window == "auto" and choices.window_max is not None:
        # A short cap is meant: what must be driven before the first look is lowered to what it allows.
        most_s = parse_duration_ns(choices.window_max) // 10**9
        lines.append(f'window_min = "{min(180, max(most_s - 60, 60))}s"')
    return lines


def _target_lines(name: str, engine: str) -> list[str]:
    return ["[[target]]", f"name = {quoted(name)}", f"engine = {quoted(engine)}"]


def _varied_target_lines(named: Sequence[tuple[str, str]], variations: Sequence[str], workload: str) -> list[str]:
    """Every engine with every combination of values, named by all of them; a name with a dot is a neutral parameter's.

    Raises
    ------
    StudyError : something has no values, is varied twice, or can't be varied
    """
    axes: dict[str, list[str]] = {}
    for word in variations:
        name, values = _parse_variation(word, workload)
        if name in axes:
            remedy = f"give its values in one list: --vary {name}={','.join([*axes[name], *values])}"
            raise StudyError(f"--vary {name} is given twice", "", remedy)
        axes[name] = values
    lines = []
    for title, engine in named:
        for combination in itertools.product(*axes.values()):
            lines += _target_lines(" ".join([title, *combination]), engine)
            chosen = dict(zip(axes, combination, strict=True))
            for key in ("settings", "workload"):
                table_entries = [
                    f"{quoted(k)} = {quoted(v)}" for k, v in chosen.items() if ("." in k) == (key == "settings")
                ]
                lines += [f"{key} = {{{', '.join(table_entries)}}}"] if table_entries else []
    return lines


def _parse_variation(word: str, workload: str) -> tuple[str, list[str]]:
    """Name and values of one --vary; an option of `compare` or of a server is answered by what carries it."""
    name, separator, text = word.partition("=")
    name = name.strip().removeprefix("--")
    values = [value.strip() for value in text.split(",")]
    if not (name and separator and all(values)):
        remedy = "write for example --vary table_compression=none,page-compressed or --vary redo.capacity=1GB,4GB"
        raise StudyError(f"--vary '{word}' has no values", "", remedy)
    if "." in name:
        return name, values
    workload_name, key = full_name(workload), name.replace("-", "_")
    if workload_name is None or key in _known_options(workload_name):
        return key, values
    problem = f"--vary '{word}' names no option of {workload_name}"
    if name in _LISTS:
        raise StudyError(problem, f"--{name} takes several values itself", f"did you mean --{name} {text}?")
    neutral = parameters_of_option(name)
    if BUDGET in neutral:
        raise StudyError(problem, "memory is compared by its tier", f"did you mean --memory {text}?")
    if neutral:
        raise StudyError(problem, "", f"did you mean --vary {neutral[0]}={text}?")
    hint = f"dbdyno-load workloads lists the options of {workload_name}, dbdyno settings the settings"
    raise StudyError(problem, "", nearest(key, [*_known_options(workload_name), *vocabulary()], hint))


_LISTS = frozenset({"tier", "memory", "concurrency", "threads", "users", "connections", "route"})
"""Options of this command whose values are lists."""


def _known_options(workload: str) -> list[str]:
    """Options of a workload by its full name, with the aliases that mean one of them."""
    options = options_of(workload)
    return [*options, *(alias for alias, canonical in ALIASES.items() if canonical in options)]


def _setting_line(word: str) -> str:
    name, separator, value = word.partition("=")
    if not (separator and name.strip() and value.strip()):
        raise StudyError(f"--set '{word}' sets nothing", "", "write for example --set redo.capacity=4GB")
    return f"{quoted(name.strip())} = {quoted(value.strip())}"


def _workload_option_lines(workload: str, option_words: list[str], own_options: Sequence[str]) -> list[str]:
    name = full_name(workload) or workload  # an unknown one is the reader's to refuse
    known_options = _known_options(name) if full_name(workload) else []
    is_plain_tpcc = name in ("tpcc", "tpcc/standard") and not any(word.startswith("--dialect") for word in option_words)
    options = []
    for word in option_words:
        option, separator, value = word.partition("=")
        key = option.removeprefix("--").replace("-", "_")
        if (
            not option.startswith("--")
            or (known_options and key not in known_options)
            or (is_plain_tpcc and key == "tables")
        ):
            raise _unknown_option_error(option, value, name, own_options, known_options)
        if not separator:
            raise StudyError(f"option '{option}' has no value", "", f"write {option}=VALUE")
        _check_whole(option, value, name, key)
        options.append(f"{key} = {quoted(value)}")
    return options


_SIZES = {"tpcc": ("TPC-C", "--warehouses"), "linkbench": ("LinkBench", "--maxid1"), "insert-benchmark": ("", "--nr1")}
"""Family -> its name for people, and the option that says how much data it fills."""


def _unknown_option_error(
    option: str, value: str, workload: str, own_options: Sequence[str], known_options: Sequence[str]
) -> StudyError:
    title, size = _SIZES.get(family_name(workload), ("", ""))
    if size and option in ("--tables", "--rows", "--table-size", "--scale", "--warehouses"):
        return StudyError(f"{title or workload} has no {option}", "", f"its size is {size} N")
    if hint := meant_option("dbdyno compare", option, value, own_options):
        return StudyError(f"unknown option '{option}'", "", hint)
    all_options = [*own_options, *(f"--{name.replace('_', '-')}" for name in known_options)]
    help_hint = f"dbdyno compare -h lists its options, dbdyno-load workloads those of {workload}"
    return StudyError(f"unknown option '{option}'", "", nearest(option, all_options, help_hint))


def _check_whole(option: str, value: str, workload: str, key: str) -> None:
    """Refuse a count that is written rounded, such as 10k, by the number that it means."""
    option_spec = options_of(workload).get(ALIASES.get(key, key)) if full_name(workload) else None
    number = whole_number(value)
    if (
        option_spec is not None
        and option_spec.default.isdecimal()
        and number is not None
        and not value.strip().isdecimal()
    ):
        raise StudyError(f"{option} {value} is not written as a whole number", "", f"did you mean {option} {number}?")


def _check_words(choices: argparse.Namespace) -> None:
    """Refuse what is missing a unit, is named twice or asks for help, in the words that were typed.

    Raises
    ------
    StudyError : the hint is the line that was probably meant
    """
    if "help" in choices.targets:
        raise StudyError("'help' is not an engine", "", "dbdyno compare --help")
    for target in choices.targets:
        if choices.targets.count(target) > 1:
            remedy = f"to compare an engine with itself: dbdyno self-check {target}"
            raise StudyError(f"{target} is named twice", "", remedy)
    if choices.workload.endswith(".lua"):
        problem = f"--workload {choices.workload} is a Lua script"
        raise StudyError(problem, "", f"Lua scripts run with dbdyno-load: dbdyno-load script {choices.workload} run")
    typed_options = getattr(choices, "typed", {})
    for name, unit in (("window", "s"), ("warm_up", "s"), ("window_max", "s"), ("warm_up_max", "s"), ("tier", "MB")):
        words = (getattr(choices, name) or "").split(",")
        corrected_words = [with_unit(word, unit) or word for word in words]
        if corrected_words != words:
            option = typed_options.get(name, f"--{name.replace('_', '-')}")
            raise StudyError(
                f"{option} {','.join(words)} has no unit", "", f"did you mean {option} {','.join(corrected_words)}?"
            )


def _parse_rate(text: str) -> float:
    try:
        return float(text.removesuffix("/s"))
    except ValueError:
        raise StudyError(f"--rate '{text}' is not a number", "", "write for example --rate 500") from None


def _whole_numbers_list(text: str) -> str:
    if not re.fullmatch(r"\s*\d+\s*(,\s*\d+\s*)*", text):
        raise StudyError(
            f"--concurrency '{text}' is not a list of numbers", "", "write for example --concurrency 1,4,16"
        )
    return f"[{text}]"


def _quoted_list(items: list[str]) -> str:
    return f"[{', '.join(quoted(item.strip()) for item in items)}]"
