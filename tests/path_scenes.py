"""Loads between two hosts, and what is done to the server's host meanwhile: see `network_host`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from load_runs import POINT_SELECT, LoadRun, RunningLoad
from network_host import NetworkHost, two_hosts
from null_server import NullServer

PORT = 3306
# A server that takes its time: the machine is shared by all scenes.
SLOW = ("--delay", "constant:5ms")
TABLES = ("--tables", "1", "--rows", "1000")


@dataclass
class Played:
    """What became of a scene: the run, and when something was begun and done to the server's host."""

    run: LoadRun
    begun_ns: dict[str, int] = field(default_factory=dict)
    done_ns: dict[str, int] = field(default_factory=dict)
    lasted_s: float = 0.0

    @property
    def outage(self) -> dict[str, Any]:
        (outage,) = self.run.end["outages"]
        return dict(outage)

    def events_between(self, deed: str, undoing: str) -> list[int]:
        """Return what was completed in each second that lies wholly between both deeds.

        How many such seconds there are depends on when in a second of the load the first deed was done.
        """
        return [
            _events(second)
            for second in self.run.seconds
            if self.done_ns[deed] <= second["monotonic_ns"]
            and second["monotonic_ns"] + second["duration_ns"] <= self.begun_ns[undoing]
        ]


def _events(second: Mapping[str, Any]) -> int:
    """Of both kinds of record: a load's of this project, and one in sysbench's form."""
    if "events" in second:
        return int(second["events"])
    return sum(counts["completed"] for counts in second["transactions"].values())


@dataclass(frozen=True)
class Scene:
    """A load, and what happens to the server's host meanwhile: deeds by the second after the load's first."""

    arguments: Sequence[str]
    deeds: Sequence[tuple[float, str]]
    command: str = "run"
    workload: str = POINT_SELECT
    before: str = ""
    by_socket: bool = False
    server: Sequence[str] = SLOW
    longest_s: float = 40.0


def play(scene: Scene, folder: Path) -> Played:
    """Drive the scene's load from one host against a null server on the other."""
    with two_hosts() as (client, host):
        options = ["--listen", f"{host.address}:{PORT}", "--anyone", *scene.server]
        with NullServer(folder, *options, launcher=host.command()) as server:
            if scene.before:
                getattr(host, scene.before)()
            target = server.target if scene.by_socket else ["--host", host.address, "--no-password"]
            tables = [] if scene.command == "script" else TABLES
            arguments = [*tables, *scene.arguments]
            began = time.monotonic()
            load = RunningLoad(
                scene.workload, target, arguments, folder, command=scene.command, launcher=client.command()
            )
            with load:
                begun_ns, done_ns = _do(scene.deeds, host, load.records_path)
                run = load.finish(scene.longest_s)
            host.thaw()  # what is stopped does not end when it is asked to
            return Played(run, begun_ns, done_ns, time.monotonic() - began)


def _do(deeds: Sequence[tuple[float, str]], host: NetworkHost, records: Path) -> tuple[dict[str, int], dict[str, int]]:
    if not deeds:
        return {}, {}
    deadline = time.monotonic() + 20
    while '"record":"start"' not in (records.read_text() if records.exists() else ""):
        assert time.monotonic() < deadline, "the load did not start"
        time.sleep(0.02)
    began = time.monotonic()
    begun_ns: dict[str, int] = {}
    done_ns: dict[str, int] = {}
    for second, deed in deeds:
        time.sleep(max(began + second - time.monotonic(), 0.0))
        begun_ns[deed] = time.monotonic_ns()
        getattr(host, deed)()
        done_ns[deed] = time.monotonic_ns()
    return begun_ns, done_ns
