"""Start a load of three hosts as one client again and again: how far apart they begin, and whether they are one client.

    python benches/client_hosts.py                60 starts; prints
    python benches/client_hosts.py --starts 5 --pairs 2
    python benches/client_hosts.py --write        and writes docs/measurements/client-hosts.md

The hosts are namespaces of this machine, see tests/remote_hosts.py: each has its own network, processes and sshd. They
drive the null server, which forgets everything. Needs root and sshd. The hosts share the processors and the clock of
this machine, so their work disturbs each other more than on machines of their own, and their clocks differ by nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dbdyno.lab import find_generator

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "measurements" / "client-hosts.md"
HOSTS = ("c1", "c2", "c3", "c4")
ADDRESS, PORT = "10.98.0.1", 3399
LOAD = ("run", "sysbench/oltp_read_write", "--no-password", "--host", ADDRESS, "--port", str(PORT), "--json-lines=-")
START = ("--threads=7", "--warm-up=0s", "--time=1s", "--digest=5")
SIZE = ("--threads=16", "--warm-up=1s", "--time=5s")
SKEW_LIMIT_MS = 5.0
SIZE_LIMIT = 0.02
MERGED_STARTS = 5
# Keeps what each host sends. It delays the comparison of the clocks, so only starts without a figure go through it.
TEE = """\
#!/bin/sh
for word; do [ "$last" = -- ] && host=$word; last=$word; [ -n "$host" ] && break; done
{ssh} "$@" | tee "{folder}/$host.jsonl"
"""
Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Lab:
    """The hosts, and how a load is driven from here."""

    folder: Path
    ssh: str
    inside: tuple[str, ...]
    generator: Path

    def alone(self, words: Sequence[str]) -> Records:
        """Records of one process here."""
        return _records([*self.inside, str(self.generator), *LOAD, *words], os.environ)

    def together(self, hosts: Sequence[str], words: Sequence[str], ssh: str = "") -> Records:
        """Records of hosts as one client."""
        named = (f"--agents={','.join(f'bench@{host}' for host in hosts)}", "--agent-program=/home/bench/dbdyno-load")
        argv = [str(self.generator), *LOAD, *words, *named]
        return _records(argv, {**os.environ, "DBDYNO_SSH": ssh or self.ssh})

    def with_shares(self, hosts: Sequence[str], words: Sequence[str]) -> tuple[Records, list[Records]]:
        """Records of hosts as one client, and what each of them had sent."""
        script = self.folder / "tee"
        script.write_text(TEE.format(ssh=self.ssh, folder=self.folder))
        script.chmod(0o755)
        merged = self.together(hosts, words, str(script))
        sent = [(self.folder / f"bench@{host}.jsonl").read_text().splitlines() for host in hosts]
        return merged, [[json.loads(line) for line in lines if line.startswith("{")] for lines in sent]


@contextlib.contextmanager
def _lab() -> Iterator[Lab]:
    with contextlib.ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="dbdyno-client-hosts-")))
        argv = [sys.executable, str(ROOT / "tests" / "remote_hosts.py"), str(folder), *HOSTS]
        hosts = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        held.callback(hosts.communicate)  # the end of its input ends them
        assert hosts.stdout is not None
        line = hosts.stdout.readline()
        if not line:
            raise SystemExit("no hosts can be made here: see above")
        (ssh,) = shlex.split(line.partition("=")[2])
        hosts.stdout.readline()
        inside = tuple(shlex.split(ssh.partition(" ssh ")[0]))
        generator = find_generator()
        for host in HOSTS:
            shutil.copy(generator, folder / host / "disk" / "dbdyno-load")
        server = [str(generator), "null-server", f"--listen={ADDRESS}:{PORT}", "--anyone", "--delay=constant:1ms"]
        null = subprocess.Popen([*inside, *server], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        held.callback(null.wait)
        held.callback(null.terminate)
        yield Lab(folder, ssh, inside, generator)


def _records(argv: Sequence[str], env: Mapping[str, str]) -> Records:
    done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"a load failed: {done.stderr}{done.stdout[-1000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _counts(records: Records, seconds: int) -> Counter[str]:
    """Count what was completed in so many seconds, by type."""
    counts: Counter[str] = Counter()
    for record in [record for record in records if record["record"] == "interval"][:seconds]:
        for kind in ("transactions", "statements"):
            counts.update({f"{kind} {name}": row["completed"] for name, row in record[kind].items()})
    return counts


def _tps(records: Records) -> float:
    """Transactions per second of the window."""
    seconds = [record for record in records if record["record"] == "interval" and record["phase"] == "window"]
    completed = sum(row["completed"] for second in seconds for row in second["transactions"].values())
    return float(completed) / len(seconds)


def starts(lab: Lab, count: int) -> tuple[list[str], bool]:
    """Rows of the starts, and whether all held."""
    expected = lab.alone(START)[-1]["digests"]
    apart_ms, errors_ms, equal = [], [], 0
    for _ in range(count):
        end = lab.together(HOSTS[:3], START)[-1]
        skews = [host["start_skew_ns"] / 1e6 for host in end["hosts"]]
        apart_ms.append(max(skews) - min(skews))
        errors_ms += [host["clock_error_ns"] / 1e6 for host in end["hosts"]]
        equal += end["digests"] == expected
    rows = [f"| {title} | {_quantiles(values)} |" for title, values in (
        ("first to last beginning of a start, ms", apart_ms),
        ("bound of a clock's comparison, ms", errors_ms),
    )]  # fmt: skip
    within = sum(value < SKEW_LIMIT_MS for value in apart_ms)
    words = [
        f"\n{within} of {count} starts were less than {SKEW_LIMIT_MS:.0f} ms apart. "
        f"In {equal} of {count} the statements of all {len(expected)} users",
        f"equalled those of one process ({expected[0]['events']} events of each, by digest).",
    ]
    titles = ["| | p50 | p95 | max |", "|---|---|---|---|"]
    return [*titles, *rows, *words], within == equal == count


def _quantiles(values: Sequence[float]) -> str:
    return " | ".join(f"{np.quantile(values, quantile):.3f}" for quantile in (0.5, 0.95, 1.0))


def merges(lab: Lab, count: int) -> tuple[list[str], bool]:
    """Whether merged counts are the sums of the shares', as words."""
    equal, added = 0, 0
    for _ in range(count):
        merged, shares = lab.with_shares(HOSTS[:3], START)
        seconds = sum(record["record"] == "interval" for record in merged)
        whole = _counts(merged, seconds)
        equal += whole == sum((_counts(share, seconds) for share in shares), Counter())
        added += whole.total()
    words = (
        f"In {equal} of {count} further starts the merged counts equalled the sums of the shares' ({added:,} events)."
    )
    return [f"\n{words}"], equal == count


def sizes(lab: Lab, pairs: int) -> tuple[list[str], bool]:
    """How much four shares do of what one process of their size does, as words."""
    ratios, alone_tps = [], []
    for number in range(pairs):
        order = (HOSTS, HOSTS[:1]) if number % 2 else (HOSTS[:1], HOSTS)
        tps = {len(hosts): _tps(lab.together(hosts, SIZE)) for hosts in order}
        ratios.append(tps[4] / tps[1])
        alone_tps.append(tps[1])
    mean, spread = float(np.mean(ratios)), float(np.std(ratios, ddof=1)) if pairs > 1 else 0.0
    words = [
        f"\nFour hosts with 4 connections each did {100 * (mean - 1):+.2f} % of what one host with 16 did "
        f"({np.mean(alone_tps):,.0f} transactions/s),",
        f"in {pairs} interleaved pairs from {100 * (min(ratios) - 1):+.2f} to {100 * (max(ratios) - 1):+.2f} %, "
        f"standard error of the mean {100 * spread / pairs**0.5:.2f} %.",
    ]
    return words, abs(mean - 1) <= SIZE_LIMIT


def main() -> int:
    """Run all; 1 if something did not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=60, help="starts of three hosts (default %(default)s)")
    parser.add_argument("--pairs", type=int, default=6, help="pairs of one and four hosts (default %(default)s)")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    choices = parser.parse_args()
    before = os.getloadavg()[0]
    with _lab() as lab:
        parts = [starts(lab, choices.starts), merges(lab, MERGED_STARTS), sizes(lab, choices.pairs)]
    load = f"{before:.1f} before and {os.getloadavg()[0]:.1f} after, of which this bench is a part"
    text = "\n".join(line for lines, _ in parts for line in lines)
    print(text, f"\nload average {load}")
    if choices.write:
        PAGE.write_text(_page(text, load))
    return 0 if all(is_held for _, is_held in parts) else 1


def _page(text: str, load: str) -> str:
    when = datetime.datetime.now(datetime.UTC)
    return f"""\
# Several load hosts as one client

Written by `python benches/client_hosts.py --write` on {when:%Y-%m-%d}, on one machine with {os.cpu_count()} processors
(load average {load}).
Three hosts were one client of 7 connections for a second. The hosts are namespaces of that machine, reached by ssh; the
server is the null server, 1 ms from each statement to its reply. Their clocks are one clock, which the comparison of
the clocks does not know. All share the processors, so a host may begin late because another works; separate hosts
have a network between them instead.

{text}
"""


if __name__ == "__main__":
    sys.exit(main())
