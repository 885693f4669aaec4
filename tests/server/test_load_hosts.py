"""Several hosts, reached by SSH, drive shares of one load: the guide's loop, the merge, and what ends them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from dbdyno.lab import find_generator
from network_host import inside
from null_server import NullServer
from remote_hosts import RemoteMachine, comes_true, remote_machines

pytestmark = pytest.mark.server
LOAD = ["sysbench/oltp_read_write", "--no-password", "--threads=8", "--rate=80", "--warm-up=1s", "--digest=5"]
NAMES = ("c1", "c2", "c3")
AHEAD_S = 5
SSH_OPTIONS = ["-o", "BatchMode=yes", "-o", "ServerAliveInterval=2"]  # three unanswered: the host is lost


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RemoteMachine]]:
    """Three load hosts, each with the load generator in its home and a monotonic clock that began at another time."""
    with remote_machines(tmp_path_factory.mktemp("hosts"), *NAMES) as machines:
        for machine in machines:
            shutil.copy(find_generator(), machine.home / "dbdyno-load")
        yield machines


@pytest.fixture(scope="module")
def server(hosts: list[RemoteMachine], tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Arguments that name a server which all hosts reach."""
    words = ["--listen", "10.98.0.1:3399", "--anyone", "--delay", "constant:1ms", "--serve", "300s"]
    with NullServer(tmp_path_factory.mktemp("null"), *words, launcher=inside(hosts[0].switch)):
        yield ["--host", "10.98.0.1", "--port", "3399"]


class _Shares:
    """Shares under way, one on each host; their records come back through SSH."""

    def __init__(self, hosts: list[RemoteMachine], folder: Path, words: list[str]) -> None:
        at = f"{time.time() + AHEAD_S:.3f}"
        self.files = [folder / f"{number}.jsonl" for number in range(1, len(hosts) + 1)]
        self._out: list[IO[bytes]] = [path.open("wb") for path in self.files]
        self.processes = []
        for number, (host, out) in enumerate(zip(hosts, self._out, strict=True), start=1):
            own = [f"--share={number}/{len(hosts)}", f"--start-at={at}", "--json-lines=-"]
            there = shlex.join(["./dbdyno-load", "run", *LOAD, *words, *own])
            argv = [*shlex.split(os.environ["DBDYNO_SSH"]), *SSH_OPTIONS, host.destination, there]
            self.processes.append(subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out))

    def wait(self) -> list[int]:
        codes = [process.wait(timeout=60) for process in self.processes]
        for out in self._out:
            out.close()
        return codes

    def wait_for_second(self, second: int) -> bool:
        text = f'"second":{second},'
        return comes_true(lambda: all(text in path.read_text() for path in self.files), 30)


def _merge(files: list[Path]) -> tuple[int, list[dict[str, Any]], str]:
    argv = [str(find_generator()), "merge", *map(str, files), "--json-lines=-"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def _sampled() -> list[dict[str, Any]]:
    words = ["sample", LOAD[0], "--concurrency=8", "--events=5", "--digest", "--json"]
    done = subprocess.run([str(find_generator()), *words], capture_output=True, text=True, timeout=60, check=True)
    digests: list[dict[str, Any]] = json.loads(done.stdout)
    return digests


def test_hosts_of_other_clocks_are_one_client(hosts: list[RemoteMachine], server: list[str], tmp_path: Path) -> None:
    shares = _Shares(hosts, tmp_path, [*server, "--time=3s"])
    assert shares.wait() == [0, 0, 0]
    starts = [json.loads(path.read_text().splitlines()[0])["monotonic_ns"] for path in shares.files]
    assert max(starts) - min(starts) > 100_000 * 10**9  # the hosts' own clocks lie days apart
    code, records, errors = _merge(shares.files)
    assert code == 0, errors
    seconds = [record["second"] for record in records if record["record"] == "interval"]
    assert seconds == [0, 1, 2, 3]
    end = records[-1]
    assert end["digests"] == _sampled()
    assert [host["host"] for host in end["hosts"]] == list(NAMES)
    assert all(-1_000_000 < host["start_skew_ns"] < 1_000_000_000 for host in end["hosts"])


def test_hosts_end_when_their_readers_do(hosts: list[RemoteMachine], server: list[str], tmp_path: Path) -> None:
    shares = _Shares(hosts, tmp_path, [*server, "--time=300s"])
    assert shares.wait_for_second(0)
    for process in shares.processes:
        process.send_signal(signal.SIGINT)  # as Ctrl-C does in a loop over ssh
    shares.wait()
    assert comes_true(lambda: not any(host.processes() for host in hosts), 5)


def test_a_host_whose_power_fails_fails_the_run_at_its_second(
    hosts: list[RemoteMachine], server: list[str], tmp_path: Path
) -> None:
    shares = _Shares(hosts[:2], tmp_path, [*server, "--time=6s"])
    assert shares.wait_for_second(1)
    hosts[1].power_off()
    assert shares.wait()[0] == 0
    code, records, errors = _merge(shares.files)
    assert code == 3
    assert "share 2 of 2" in errors
    intervals = [record for record in records if record["record"] == "interval"]
    assert 2 <= len(intervals) < 7
    assert records[-1]["hosts"][0]["seconds"] == 7
