"""Loads that need a minute or more: begun before the truth tests, judged after them.

A hundred and a thousand requests a second are nothing to the machine, so they run beside what else is tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from load_runs import POINT_SELECT, RunningLoad
from null_server import NullServer

FREEZE_S, FREEZE_AT_S, RATE_OF_FREEZE = 100, 40, 100
# Service time runs from when a statement was really sent: of a freeze it sees the statements that were under way, one
# a connection. Ten are 0.1 % of all 10,000, out of sight of a p99 of service time; a hundred and more would be in it.
CONNECTIONS_OF_FREEZE = 10

OVERLOAD_S, CAPACITY, OVERLOAD_RATE, CONNECTIONS_OF_OVERLOAD = 60, 500, 1_000, 20


@dataclass(frozen=True)
class Pair:
    """A load under way, its server, and the server's log."""

    server: NullServer
    load: RunningLoad
    log_path: Path


@contextmanager
def begin(folder: Path) -> Iterator[dict[str, Pair]]:
    """Both loads under way, each on a processor of its own if there are two."""
    plans = {
        "freeze": (f"--freeze={FREEZE_AT_S}s+10s", RATE_OF_FREEZE, FREEZE_S, CONNECTIONS_OF_FREEZE),
        "overload": (f"--capacity={CAPACITY}", OVERLOAD_RATE, OVERLOAD_S, CONNECTIONS_OF_OVERLOAD),
    }
    pairs = {}
    with ExitStack() as stack:
        for cpu, (name, (fault, rate, seconds, connections)) in enumerate(plans.items()):
            log_path = folder / f"{name}.csv"
            server = stack.enter_context(NullServer(folder, fault, "--log", str(log_path), cpu=cpu))
            arguments = _constant_rate(rate, seconds, connections)
            load = stack.enter_context(RunningLoad(POINT_SELECT, server.target, arguments, folder, cpu=cpu))
            pairs[name] = Pair(server, load, log_path)
        yield pairs


def _constant_rate(rate: int, seconds: int, connections: int) -> list[str]:
    arguments = ["--rate", str(rate), "--arrivals", "constant", "--warm-up", "0s", "--time", f"{seconds}s"]
    return [*arguments, "--threads", str(connections), "--seed", "1", "--report-interval", "0"]
