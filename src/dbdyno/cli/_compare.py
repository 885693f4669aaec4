"""`dbdyno compare`: compares engines named on the command line, as a study made of its options."""

from __future__ import annotations

import argparse
import itertools
import re
import shlex
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from dbdyno.cli._bench_options import add_bench_options
from dbdyno.cli._compare_study import parse_choices, workload_option_lines
from dbdyno.cli._folder import default_folder, results_folder, unnamed_folder
from dbdyno.cli._help import Parser
from dbdyno.cli._help import add_command as add
from dbdyno.cli._options import add_target_half_width
from dbdyno.cli._plan import print_plan
from dbdyno.cli._run import add_run_options
from dbdyno.cli._running_servers import add_server_options, buffer_pool_of, running_servers
from dbdyno.core import StudyError, parse_engine_name, with_unit
from dbdyno.study import bundled_studies

_STORY = """\
Compares engines: fetches them, configures them alike, fills the data once for each, and measures every combination of
memory tier and concurrency in random, interleaved order. Each run starts from the same restored data. The comparison's
study file is written into the results folder; to change it, edit a copy and run that with `dbdyno run`. Without -o,
engines and day name the folder; the same command resumes an unfinished comparison there, on a later day, too.
Another comparison of the same engines on that day gets a number after the date.

  dbdyno compare mariadb:11.8 mariadb:11.8+rocksdb mysql:9.7 --workload sysbench/oltp_read_write \\
      --tables 4 --rows 50000 --tier 64MB,512MB --concurrency 1,4,16 \\
      --window 12s --warm-up 4s --repeats 2 -o results/first

With --warm-up auto, a run warms up until its throughput is steady and the server has settled (cache, redo log,
dirty pages, purge). With --window auto, it is measured until its mean is known to --target-half-width:

  dbdyno compare mariadb:11.8 mysql:9.7 --warm-up auto --window auto --target-half-width 2% -o results/auto

Give options of the workload directly: --tables, --rows, --rand-type zipfian, --range-size 10, or
--dialect hammerdb --warehouses 10; `dbdyno-load workloads` lists them all. Without --tables and --rows, the tables
of sysbench are 4 with 100,000 rows each, some 100 MB.
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
        "--retry-disturbed", "--no-calibrate", "--strict-audit", "--force", "--allow-altered", "--host-address",
        "--host-home", "--client", "--quiet",
    }
)  # fmt: skip


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "compare", _STORY, run_comparison)
    parser.add_argument("targets", nargs="*", metavar="ENGINE", help="FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]")
    _add_load_options(parser)
    _add_server_options(parser)
    _add_measurement_options(parser)
    add_run_options(parser)
    parser.seldom, parser.takes_unknown = _SELDOM, True


def run_comparison(choices: argparse.Namespace) -> int:
    """Run the study that the options mean."""
    from dbdyno.cli._execute import run_to_report  # late: see _main
    from dbdyno.hosts import LocalHost
    from dbdyno.provision import check_source

    _check_words(choices)
    workload_lines = workload_option_lines(
        choices.workload, choices.workload_options, choices.parser.options(), choices.vary
    )
    for target in choices.targets:
        check_source(parse_engine_name(target))
    if not (choices.targets or choices.servers):
        choices.parser.error("name what to compare, such as mariadb:11.8 mysql:9.7")
    servers = running_servers(choices, LocalHost()) if choices.servers else {}
    if choices.tier is None:
        is_known = servers and not choices.targets
        choices.tier = (buffer_pool_of(servers, LocalHost()) if is_known else None) or _TIER
    is_named = bool(choices.output or choices.name)
    default_output = default_folder([*choices.targets, *servers], datetime.now(UTC).astimezone().date())
    output = results_folder(choices.output, choices.name) if is_named else default_output
    choices.name = choices.name or output.name
    study = parse_choices(choices, workload_lines, servers)
    if not (is_named or choices.fresh):
        is_retry = choices.retry_failed or choices.retry_disturbed
        output = unnamed_folder(default_output, study, is_retry=is_retry)
        study = replace(study, name=output.name)
    if choices.plan:
        print_plan(study, choices.target_half_width)
        return 0
    return run_to_report(study, output, choices)


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
    server.add_argument(
        "--tier",
        metavar="SIZE,..",
        help=f"memory budgets (default {_TIER}; running servers: their buffer pool)",
    )
    _add_alias(server, "--memory", "tier")
    add_server_options(server)
    add_bench_options(server)
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
        default="15s",
        metavar="TIME",
        help="measured time, or auto: until --target-half-width is met (default 15s)",
    )
    for alias in ("--time", "--duration"):
        _add_alias(measure, alias, "window")
    measure.add_argument("--window-max", metavar="TIME", help="longest --window auto (default 900s)")
    add_target_half_width(measure, "--window auto: half-width of the mean to reach")
    measure.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each cell (default %(default)s)")
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
    measure.add_argument("--plan", action="store_true", help="only show what would run, and how long it would take")
    measure.add_argument("--name", default="", help="name of the study (default: name of the results folder)")


def _add_alias(group: argparse._ArgumentGroup, alias: str, name: str) -> None:
    """Take another tool's word for an option, too; help does not list it, and messages name it as typed."""
    group.add_argument(alias, dest=name, action=_Alias, default=argparse.SUPPRESS, help=argparse.SUPPRESS)


class _Alias(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, choices: argparse.Namespace, value: object, option: str | None = None
    ) -> None:
        setattr(choices, self.dest, value)
        choices.typed = {**getattr(choices, "typed", {}), self.dest: option}


_TIER = "512MB"
_FORM = "an engine is written FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]"


def _check_words(choices: argparse.Namespace) -> None:
    """Refuse what is missing a unit, is named twice or asks for help, in the words that were typed.

    Raises
    ------
    StudyError : the hint is the line that was probably meant
    """
    if "help" in choices.targets:
        raise StudyError("'help' is not an engine", "", "dbdyno compare --help")
    for family, version in itertools.pairwise(choices.targets):
        if family.isalpha() and version[:1].isdigit():
            joined = re.sub(r"\b([a-z]+) (?=\d)", r"\1:", shlex.join(choices.targets))
            raise StudyError(f"'{family}' is not an engine", _FORM, f"did you mean dbdyno compare {joined}?")
    for target in choices.targets:
        if target.endswith(".toml") or target in bundled_studies():
            raise StudyError(f"'{target}' is a study, not an engine", "", f"dbdyno run {target}")
        if choices.targets.count(target) > 1:
            remedy = f"to compare an engine with itself: dbdyno self-check {target}"
            raise StudyError(f"{target} is named twice", "", remedy)
    _check_workload_word(choices.workload)
    if "network" in (choices.route or "").split(",") and choices.host is None:
        raise StudyError("--route network needs --host", "servers run on this machine", "add --host USER@HOST")
    typed_options = getattr(choices, "typed", {})
    for name, unit in (("window", "s"), ("warm_up", "s"), ("window_max", "s"), ("warm_up_max", "s"), ("tier", "MB")):
        words = (getattr(choices, name) or "").split(",")
        corrected_words = [with_unit(word, unit) or word for word in words if word]
        if corrected_words != words and any(words):
            option = typed_options.get(name, f"--{name.replace('_', '-')}")
            what = f"{option} {','.join(words)} has {'no unit' if all(words) else 'an empty value'}"
            raise StudyError(what, "", f"did you mean {option} {','.join(corrected_words)}?")


def _check_workload_word(workload: str) -> None:
    """Refuse a script, a file of SQL and a tool's name, each by the workload or the program that takes it."""
    problem = f"--workload {workload} is not a workload"
    if workload.endswith(".lua"):
        raise StudyError(
            f"--workload {workload} is a Lua script",
            "",
            f"Lua scripts run with dbdyno-load, one server at a time: dbdyno-load script {workload} run; to compare "
            "engines by the script's statements, write them into files: --workload sql:DIRECTORY",
        )
    if workload.endswith(".sql") or workload.startswith(("/", "./", "~")):
        raise StudyError(problem, "", "your own queries are named --workload sql:DIRECTORY")
    if workload == "sysbench":
        raise StudyError(problem, "", "did you mean --workload sysbench/oltp_read_write?")
