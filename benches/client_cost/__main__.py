"""What the load generator costs, as multiples of the floor, on this machine.

usage: .venv/bin/python benches/client_cost [--only KEY] [--pairs 5] [--quick]

Each quantity is measured in pairs, ours and what it is held against one right after the other, so that a drift of the
machine hits both; the median of the pairs' ratios is the figure. Client and server are pinned to two different
processors. CPU is user + system time of the whole client process as the kernel accounts it; start-up is measured apart
and subtracted. A run of everything takes about half an hour, wants an idle machine, and writes
docs/measurements/client-cost.md; with --only or --quick it prints only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from dialogues import DIALOGUES
from machine import Machine
from page import page, row, table_head
from programs import Clients
from quantities import QUANTITIES, Bench, Finding, Quantity
from servers import NullServer, Place
from sysbench_form import FORM

ROOT = Path(__file__).resolve().parents[2]
ALL: tuple[Quantity, ...] = (*QUANTITIES, *DIALOGUES, *FORM)
PAGE = ROOT / "docs/measurements/client-cost.md"


def main() -> int:
    """Build what is missing, measure, print, write the page; 1 if anything is above its limit."""
    choices = _choices()
    machine = Machine.now()
    print(machine.line(), flush=True)
    with tempfile.TemporaryDirectory(prefix="dbdyno-bench-", dir="/tmp") as scratch:
        clients = Clients.build(ROOT, Path(scratch), client_cpu=choices.client_cpu, load=choices.load)
        place = Place(Path(scratch) / "null.sock", choices.server_cpu)
        with NullServer.start(choices.server, clients, place) as server:
            print(f"{clients.line()}\n{server.line()}\n\n{table_head()}", flush=True)
            bench = Bench(clients, server, pairs=choices.pairs, seconds=1 if choices.quick else choices.seconds)
            findings = list(_measured(bench, choices.only))
    if not choices.only and not choices.quick:
        PAGE.write_text(page(findings, machine, clients, server, bench))
        print(f"\nwritten to {PAGE.relative_to(ROOT)}")
    return int(any(finding.verdict == "above its limit" for finding in findings))


def _measured(bench: Bench, only: list[str]) -> list[Finding]:
    findings = []
    for quantity in ALL:
        if not only or quantity.key in only:
            findings.append(quantity.measure(bench))
            print(row(findings[-1]), flush=True)
    return findings


def _choices() -> argparse.Namespace:
    keys = [quantity.key for quantity in ALL]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", action="append", default=[], choices=keys, metavar="KEY", help=", ".join(keys))
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3, help="of each run of dbdyno-load and of the floor [3]")
    parser.add_argument("--quick", action="store_true", help="runs of one second: to see that it works")
    parser.add_argument("--server", choices=["auto", "own", "reference"], default="auto", help="which null server")
    parser.add_argument("--client-cpu", type=int, default=0)
    parser.add_argument("--server-cpu", type=int, default=1)
    parser.add_argument("--load", type=Path, default=Path(sys.executable).with_name("dbdyno-load"))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
