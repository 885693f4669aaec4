"""The table on the screen and the page of the documentation."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from machine import Machine
from programs import Clients
from quantities import Bench, Finding
from servers import NullServer

WIDTHS = (60, 24, 8, 8, 26)


def table_head() -> str:
    """Head of the table on the screen."""
    head = _columns("quantity", "median (range of pairs)", "target", "limit", "verdict")
    return f"{head}beside it\n{'-' * (len(head) + 40)}"


def row(finding: Finding) -> str:
    """A line of the table on the screen."""
    quantity = finding.quantity
    figures = [f"{quantity.title}, {quantity.unit}", _figure(finding), f"{quantity.target:g}", f"{quantity.limit:g}"]
    return _columns(*figures, finding.verdict) + finding.beside


def _columns(*texts: str) -> str:
    return "".join(f"{text:<{width}} " for text, width in zip(texts, WIDTHS, strict=True))


def _figure(finding: Finding) -> str:
    if not finding.figures:
        return "-"
    digits = 3 if finding.median < 1 else 2
    low, high = min(finding.figures), max(finding.figures)
    spread = f" ({low:.{digits}f} to {high:.{digits}f})" if len(finding.figures) > 1 else ""
    return f"{finding.median:.{digits}f}{spread}"


def page(findings: list[Finding], machine: Machine, clients: Clients, server: NullServer, bench: Bench) -> str:
    """The page, as Markdown."""
    rows = "\n".join(_markdown_row(finding) for finding in findings)
    floor = "`rawclient --mode epoll`, written in C apart from this project" if clients.reference else "`benches/floor`"
    loads = " · ".join(f"{load:.2f}" for load in os.getloadavg())
    others = f"load average before {machine.load_before:.2f}, {machine.busy_share_before:.0%} of the processors in use"
    quiet = "" if machine.is_quiet else QUIET_WARNING
    return f"""{HEAD}
{quiet}
| quantity | median (range) | unit | target | limit | verdict | beside it |
|---|---|---|---|---|---|---|
{rows}

| measured | |
|---|---|
| when | {datetime.now(UTC):%Y-%m-%d %H:%M} UTC |
| machine | {machine.processors} x {machine.processor}, {machine.memory_gib:.0f} GiB, Linux {machine.kernel} |
| other work | {others}; load averages at the end {loads} |
| client | {clients.version}, one worker, processor {clients.cpu} |
| server | {server.name}, processor {server.cpu} |
| floor | {floor}; one connection: its blocking form |
| sysbench | {clients.sysbench_version or "not installed"} |
| runs | {bench.pairs} pairs of {bench.seconds} s runs |
{FOOT}"""


def _markdown_row(finding: Finding) -> str:
    quantity = finding.quantity
    cells = [quantity.title, _figure(finding), quantity.unit, f"{quantity.target:g}", f"{quantity.limit:g}"]
    return f"| {' | '.join([*cells, finding.verdict, finding.beside])} |"


HEAD = """\
# What the load generator costs

Written by `make bench`, which measures all of it on the machine where it runs; do not edit.
"""

QUIET_WARNING = """
**The machine was not quiet.** Ratios hold roughly; microseconds do not.
"""

FOOT = """
## How to read it

- Cost is CPU time of the whole client process, user and system together, a statement. µs move with the machine, so
  targets are multiples of the *floor*: a client that sends requests built beforehand and walks the packet headers of
  the replies, one request in flight a connection, in the same minute against the same server. It times nothing, counts
  nothing, draws nothing but ids.
- The server is a null server: it answers at once with results of the right shape. Client and server are pinned to
  different processors. A figure is the median over pairs of runs made one right after the other; the range over the
  pairs is the noise.
- Start-up (connecting, log-in, preparing) is measured apart and subtracted, for dbdyno-load and for sysbench alike.
  sysbench's threads each compile their script first, so that short runs overstate its cost; its runs are long.
- Both programs send the statements of the same sysbench script with prepared statements; dbdyno-load draws sysbench's
  own random numbers, number by number.
- *TPC-C* and *LinkBench* ask, look at the answer and ask on. Their floor sends statements that they wrote down
  beforehand, again and again, over one connection a user (LinkBench has two); replies have the shapes that the null
  server reads off the statements.
- *Memory a connection* is the growth of the largest resident set from 64 to 4,096 connections. *A connection of 4,096*
  is the growth of CPU time from one connection to 4,096 in runs of one event.
- sysbench's numbers take a draw for each digit, 165 a row, number by number; dbdyno's own take one for eleven.
- *A row for populate* and *timing and histograms* are parts by themselves (`benches/parts`), because a whole run would
  drown them in its noise. The second runs a worker's record of a point select with and without: a clock read,
  statement and transaction written down. A walk through 64 KiB of memory lies between statements, because in a run the
  system calls push the worker's memory out of the nearest cache just so.
- *Scripts* are sysbench's own Lua scripts, run unmodified by this program in sysbench's form (`--native=off`) and by
  sysbench, half a million statements a run, and 2,500 or more of each user: each compiles its script and its loops;
  *native* are the builtins of the same names, which send the same statements, beside `dbdyno-load run`. A user of a
  script has a Lua state and a stack of its own; its memory is the growth of the largest resident set from one user to
  4,096. *Around an event* is what each event of sysbench's form costs before its first statement and after its last:
  may it begin, when did it, how long did it take.

Again, all of it or one quantity:

    make bench
    .venv/bin/python benches/client_cost --only point --pairs 9
"""
