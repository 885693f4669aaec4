"""`dbdyno compare`: a study from the command line."""

from __future__ import annotations

import argparse
from typing import Any

from dbdyno.cli._choices import parse_choices
from dbdyno.cli._folder import results_folder
from dbdyno.cli._help import Parser
from dbdyno.cli._help import add_command as add
from dbdyno.cli._options import add_target_half_width
from dbdyno.cli._run import add_run_options

_STORY = """\
Compares engines: obtains them, configures them alike, fills the data once for each, and measures every
combination of memory tier and concurrency in random, interleaved order, each run from the same restored
data. The study file of the comparison is written into the results folder, so that it can be kept,
changed and run again with `dbdyno run`.

  dbdyno compare mariadb:11.8 mariadb:11.8+rocksdb mysql:9.7 --workload sysbench/oltp_read_write \\
      --tables 4 --rows 50000 --tier 64MB,512MB --concurrency 1,4,16 \\
      --window 12s --warm-up 4s --repeats 2 -o results/first

With --warm-up auto a run is warmed up until its throughput holds a level and the server has settled (cache,
redo log, dirty pages, purge); with --window auto it is judged until its mean is known to
--target-half-width:

  dbdyno compare mariadb:11.8 mysql:9.7 --warm-up auto --window auto --target-half-width 2% -o results/auto

Options of the workload are given as such: --tables, --rows, --rand-type zipfian, --range-size 10, or
--dialect hammerdb --warehouses 10; `dbdyno-load workloads` lists them all.
Ways to store the same rows are compared with --each, such as three kinds of LinkBench's tables:
--workload linkbench --each table_compression=none,row-compressed,page-compressed
What the servers are to have in effect is said in words that all engines know, and each gets the options for
it: --set redo.capacity=4GB --set commit.durability=relaxed; `dbdyno settings` lists the words.
Memory is counted in powers of two, as the servers count it: 64MB is 67,108,864 bytes.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "compare", _STORY, compare)
    parser.add_argument("targets", nargs="+", metavar="ENGINE", help="FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]")
    _add_load(parser)
    _add_server(parser)
    _add_measurement(parser)
    add_run_options(parser)


def compare(choices: argparse.Namespace) -> int:
    """Run the study that the options mean."""
    from dbdyno.cli._execute import run_to_report  # late: see _main

    output = results_folder(choices.output, choices.name or "comparison")
    choices.name = choices.name or output.name
    return run_to_report(parse_choices(choices), output, choices)


def _add_load(parser: Parser) -> None:
    load = parser.add_argument_group("load", "any option of the workload too, such as --tables 4 --rows 50000")
    load.add_argument("--workload", default="sysbench/oltp_read_write", help="what clients do (default %(default)s)")
    load.add_argument(
        "--concurrency", "--users", default="1,4,16", metavar="N,..", help="connections (default %(default)s)"
    )
    load.add_argument(
        "--each",
        metavar="OPTION=V,..",
        help="each engine once with each of these values of an option of the workload, as targets of their own",
    )
    load.add_argument("--rate", type=float, metavar="R", help="transactions due per second; absent: closed loop")
    load.add_argument("--route", default="socket", metavar="R,..", help="socket, loopback (default %(default)s)")
    load.add_argument("--protocol", default="prepared", help="prepared or text (default %(default)s)")


def _add_server(parser: Parser) -> None:
    server = parser.add_argument_group("server")
    server.add_argument("--tier", default="512MB", metavar="SIZE,..", help="memory budgets (default %(default)s)")
    server.add_argument("--pin-server", metavar="CPUS", help="processors of the server, such as 0 or 0-3")
    server.add_argument("--pin-client", metavar="CPUS", help="processors of the load generator")
    server.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a neutral parameter, for all alike, such as redo.capacity=4GB; may be repeated",
    )
    server.add_argument(
        "--policy",
        choices=("aligned", "vendor"),
        default="aligned",
        help="aligned: equal in effect; vendor: defaults (default %(default)s)",
    )


def _add_measurement(parser: Parser) -> None:
    measure = parser.add_argument_group("measurement")
    measure.add_argument(
        "--warm-up", default="10s", metavar="TIME", help="driven, not judged, or auto: until settled (default 10s)"
    )
    measure.add_argument(
        "--warm-up-max", metavar="TIME", help="most of --warm-up auto; gives up waiting then (default 1800s)"
    )
    measure.add_argument(
        "--window", default="60s", metavar="TIME", help="driven and judged, or auto: until sure enough (default 60s)"
    )
    measure.add_argument("--window-max", metavar="TIME", help="most of --window auto (default 900s)")
    add_target_half_width(measure, "of --window auto: half-width of its mean")
    measure.add_argument("--repeats", type=int, default=2, metavar="N", help="runs of each cell (default %(default)s)")
    measure.add_argument(
        "--sentinel", metavar="ENGINE", help="one of the engines, driven between the others to watch the machine"
    )
    measure.add_argument("--seed", type=int, default=1, metavar="N", help="of order, rows and load (default 1)")
    measure.add_argument(
        "--equivalence-events",
        type=int,
        default=500,
        metavar="N",
        help="sent to each target before the runs, to compare results; 0: not compared (default %(default)s)",
    )
    measure.add_argument("--name", default="", help="name of the study (default: of the results folder)")
