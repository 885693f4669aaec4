"""Filling TPC-C by dbdyno-load beside the loaders of sysbench-tpcc and go-tpc, in interleaved pairs on one server.

usage: .venv/bin/python benches/populate_tpcc.py --sysbench-tpcc DIRECTORY --go-tpc PROGRAM [--warehouses 2] [--pairs 3]

Each tool is set beside the dialect that makes its tables with the same keys. The tools aren't part of the project: say
where a copy of github.com/Percona-Lab/sysbench-tpcc and a build of github.com/pingcap/go-tpc are; who isn't named is
left out. go-tpc speaks TCP only and needs `--port`. What is measured, and how, stands in `populate.py`; nobody's checks
of the rows are in it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

from populate import SCHEMA, Cost, Target, add_server_arguments, cost_of, target_of

Pair = tuple[str, list[str], list[str], Path]


def main() -> None:
    """Measure each pair and print what the tool took, and dbdyno-load's ratio to it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    add_server_arguments(parser)
    parser.add_argument("--port", type=int, help="of the same server, on 127.0.0.1")
    parser.add_argument("--sysbench-tpcc", type=Path, metavar="DIRECTORY")
    parser.add_argument("--go-tpc", type=Path, metavar="PROGRAM")
    parser.add_argument("--warehouses", type=int, default=2)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--load-by", default="auto", help="how dbdyno-load's rows go")
    choices = parser.parse_args()
    with target_of(choices) as target:
        print(f"{choices.warehouses} warehouses over {choices.connections} connections, {choices.pairs} pairs; s")
        for name, theirs, ours, folder in _pairs(choices, target):
            costs = [(_cost(target, theirs, folder), _cost(target, ours, folder)) for _ in range(choices.pairs)]
            print(f"  {name:<26}" + "".join(f"{_cell(costs, field):>26}" for field in ("wall", "client", "server")))
        print(f"load average at the end: {os.getloadavg()[0]:.1f}")


def _pairs(choices: argparse.Namespace, target: Target) -> Iterator[Pair]:
    if choices.sysbench_tpcc:
        argv = ["sysbench", "tpcc.lua", "--db-driver=mysql", f"--mysql-socket={target.socket}"]
        argv += [f"--mysql-user={target.user}", f"--mysql-password={target.password}", f"--mysql-db={SCHEMA}"]
        argv += [f"--threads={choices.connections}", f"--scale={choices.warehouses}", "--use_fk=0", "--force_pk=1"]
        ours = _ours(choices, target, "tpcc/sysbench-tpcc", "--use-fk=off", "--force-pk=on")
        yield "sysbench-tpcc, its dialect", [*argv, "prepare"], ours, choices.sysbench_tpcc
    if choices.go_tpc and choices.port is None:
        sys.exit("error: go-tpc speaks TCP only: name the server's --port")
    if choices.go_tpc:
        argv = [str(choices.go_tpc.absolute()), "tpcc", "prepare", "--no-check", f"-T{choices.connections}"]
        argv += ["--warehouses", str(choices.warehouses), "-H127.0.0.1", f"-P{choices.port}", f"-U{target.user}"]
        argv += [f"-p{target.password}", f"-D{SCHEMA}"]
        yield "go-tpc, standard dialect", argv, _ours(choices, target, "tpcc/standard"), Path.cwd()


def _ours(choices: argparse.Namespace, target: Target, workload: str, *more: str) -> list[str]:
    argv = [str(choices.generator.absolute()), "populate", workload, "--no-check", f"--socket={target.socket}"]
    argv += [f"--user={target.user}", f"--database={SCHEMA}", f"--load-by={choices.load_by}", *more]
    argv += [f"--warehouses={choices.warehouses}", f"--connections={choices.connections}"]
    return [*argv, f"--password-file={target.password_file}"] if target.password_file else argv


def _cost(target: Target, argv: list[str], folder: Path) -> Cost:
    with chdir(folder):
        return cost_of(target, argv)


def _cell(costs: list[tuple[Cost, Cost]], field: str) -> str:
    """Seconds of the tool and of dbdyno-load, and the median of the pairs' ratios."""
    pairs = [(getattr(theirs, field), getattr(ours, field)) for theirs, ours in costs]
    medians = [statistics.median(side) for side in zip(*pairs, strict=True)]
    ratio = statistics.median(ours / theirs for theirs, ours in pairs)
    return f"{medians[0]:.2f} / {medians[1]:.2f} ({ratio:.2f})"


if __name__ == "__main__":
    main()
