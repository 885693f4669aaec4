"""Measure what watching the server's session threads costs the server: throughput with the sampler on and off, in turn.

    python benches/sampler_cost.py                     MariaDB, read-write, 8 connections, 60 pairs: 7 minutes
    python benches/sampler_cost.py --pairs 20 --engine mysql:9.7
    python benches/sampler_cost.py --pairs 400 --slice 1   where the machine's speed changes from second to second

One load and one sampler run all the time. In slices of three seconds the sampler goes on or is stopped (SIGSTOP); the
order within each pair is drawn. The ratio on / off of each pair is taken from the slices without their first second,
or from all of slices of one second. The bar is a lower end of the 95 % interval of at least 0.99, on a machine that has
nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from real_server import private_server

from dbdyno.lab import find_generator
from dbdyno.stats import t_quantile

LEAST = 0.99
TABLES = ("--tables", "4", "--rows", "50000")


def main() -> int:
    """Run the bench; 1 if the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="mariadb:11.8")
    parser.add_argument("--workload", default="sysbench/oltp_read_write")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--slice", type=int, default=3, metavar="SECONDS")
    choices = parser.parse_args()
    with private_server(choices.engine, "socket", choices.threads) as server, tempfile.TemporaryDirectory() as folder:
        assert server.pid is not None
        target = server.endpoint.order_target("dbdyno_sbtest")
        place = ["--socket", str(target["socket"]), "--user", str(target["user"])]
        place += ["--password-file", str(target["password_file"])]
        generator, records = str(find_generator()), Path(folder) / "records.jsonl"
        subprocess.run([generator, "populate", choices.workload, *TABLES, *place], check=True, capture_output=True)
        seconds = (2 * choices.pairs + 2) * choices.slice
        argv = [generator, "run", choices.workload, *TABLES, *place, "--threads", str(choices.threads)]
        argv += ["--time", f"{seconds}s", "--json-lines", str(records)]
        load = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        start_ns = _start_ns(records)
        is_on = _order(choices.pairs)
        watch = [generator, "threads", "--server-pid", str(server.pid), "--client-pid", str(load.pid)]
        sampler = subprocess.Popen([*watch, "--start-ns", str(start_ns)], stdout=subprocess.PIPE, text=True)
        for index, on in enumerate(is_on, 1):
            _sleep_until(start_ns + index * choices.slice * 10**9)
            sampler.send_signal(signal.SIGCONT if on else signal.SIGSTOP)
        _sleep_until(start_ns + (len(is_on) + 1) * choices.slice * 10**9)
        sampler.send_signal(signal.SIGCONT)
        sampler.send_signal(signal.SIGINT)
        end = json.loads(sampler.communicate()[0].splitlines()[-1])
        load.wait()
        tps = _tps(records)
    ratios = []
    for pair in range(choices.pairs):
        value = {is_on[slot]: _mean_tps(tps, slot, choices.slice) for slot in (2 * pair, 2 * pair + 1)}
        ratios.append(math.log(value[True] / value[False]))
    half = t_quantile(0.975, len(ratios) - 1) * statistics.stdev(ratios) / math.sqrt(len(ratios))
    mean = statistics.mean(ratios)
    low, middle, high = (math.exp(mean + sign * half) for sign in (-1, 0, 1))
    print(f"{choices.engine} {choices.workload}, {choices.threads} connections, {choices.pairs} pairs")
    print(f"on / off: {middle:.4f} ({low:.4f} to {high:.4f}); bar: lower end at least {LEAST}")
    used = end["cpu_ns"] / 1e9 / choices.pairs / choices.slice
    print(f"sampler: {used:.4f} processors while it was on, names read once")
    print(f"load average {os.getloadavg()[0]:.1f}")
    return int(low < LEAST)


def _mean_tps(tps: list[float], slot: int, slice_s: int) -> float:
    """Of a slice without its first second, or of that alone; the load's first slice is no slot."""
    first = (slot + 1) * slice_s
    return statistics.mean(tps[first + min(1, slice_s - 1) : first + slice_s])


def _order(pairs: int) -> list[bool]:
    draws = random.Random(1)
    return [on for _ in range(pairs) for on in draws.sample([True, False], 2)]


def _start_ns(records: Path) -> int:
    while True:
        for line in records.read_text().splitlines(keepends=True) if records.exists() else ():
            if line.endswith("\n") and (found := json.loads(line))["record"] == "start":
                return int(found["monotonic_ns"])
        time.sleep(0.01)


def _sleep_until(when_ns: int) -> None:
    time.sleep(max((when_ns - time.monotonic_ns()) / 1e9, 0))


def _tps(records: Path) -> list[float]:
    lines = (json.loads(line) for line in records.read_text().splitlines())
    intervals = [line for line in lines if line["record"] == "interval"]
    return [float(sum(types["completed"] for types in line["transactions"].values())) for line in intervals]


if __name__ == "__main__":
    raise SystemExit(main())
