"""Hosts of their own on this machine: a switch, a client and a server, each in a network namespace.

Traffic never leaves the namespaces made here, and none of them has a name or outlives its block. A cable is pulled at
the switch, so that the peer sees what it would see of a real one: nothing. Frozen processes have a kernel that still
acknowledges; a host without power has none, and says no good-bye.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

_LONGEST_S = 300
"""A namespace whose test was killed ends by itself after that."""


@dataclass(frozen=True)
class NetworkHost:
    """A host: its own network, with one cable to the switch.

    Attributes
    ----------
    holder : the process that keeps its namespace
    port : of the switch, where its cable is plugged in
    """

    holder: subprocess.Popen[bytes]
    switch: subprocess.Popen[bytes]
    address: str
    port: str

    def command(self, *argv: str) -> list[str]:
        """The command line by which a program runs on this host."""
        return [*_inside(self.holder), *argv]

    def cut(self) -> None:
        """Pull the cable."""
        _run(*_inside(self.switch), "ip", "link", "set", self.port, "nomaster")

    def mend(self) -> None:
        """Plug the cable in again."""
        _run(*_inside(self.switch), "ip", "link", "set", self.port, "master", "switch")

    def freeze(self) -> None:
        """Stop all its processes."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let its processes go on."""
        self._signal(signal.SIGCONT)

    def power_off(self) -> None:
        """Everything ends at once, and nothing of it reaches the cable."""
        self.cut()
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self._processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _processes(self) -> list[int]:
        network = _network_of(self.holder.pid)
        pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
        return [pid for pid in pids if pid != self.holder.pid and _network_of(pid) == network]


@contextlib.contextmanager
def two_hosts(longest_s: int = _LONGEST_S) -> Iterator[tuple[NetworkHost, NetworkHost]]:
    """A client and a server on one switch. Skips the test where namespaces can't be made."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    with contextlib.ExitStack() as stack:
        try:
            switch, *holders = (stack.enter_context(_held_namespace(longest_s)) for _ in range(3))
            _run(*_inside(switch), "ip", "link", "add", "switch", "type", "bridge")
            _run(*_inside(switch), "ip", "link", "set", "switch", "up")
            hosts = [_host(switch, holder, number) for number, holder in enumerate(holders, start=1)]
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no network namespace can be made here: {error}")
        try:
            yield hosts[0], hosts[1]
        finally:
            for host in hosts:
                host._signal(signal.SIGKILL)


def _host(switch: subprocess.Popen[bytes], holder: subprocess.Popen[bytes], number: int) -> NetworkHost:
    port, address, inside = f"port{number}", f"10.97.0.{number}", _inside(holder)
    peer = ("peer", "name", "eth0", "netns", str(holder.pid))
    _run(*_inside(switch), "ip", "link", "add", port, "type", "veth", *peer)
    _run(*_inside(switch), "ip", "link", "set", port, "master", "switch", "up")
    _run(*inside, "ip", "link", "set", "lo", "up")
    _run(*inside, "ip", "addr", "add", f"{address}/24", "dev", "eth0")
    _run(*inside, "ip", "link", "set", "eth0", "up")
    return NetworkHost(holder, switch, address, port)


@contextlib.contextmanager
def _held_namespace(longest_s: int) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["unshare", "--net", "sleep", str(longest_s)]) as holder:
        try:
            deadline = time.monotonic() + 5
            while _network_of(holder.pid) in (None, _network_of(os.getpid())):
                if holder.poll() is not None or time.monotonic() > deadline:
                    message = "unshare --net was refused"
                    raise OSError(message)
                time.sleep(0.01)
            yield holder
        finally:
            holder.kill()


def _network_of(pid: int) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/ns/net").readlink())
    except OSError:  # ended, or a kernel thread
        return None


def _inside(holder: subprocess.Popen[bytes]) -> list[str]:
    return ["nsenter", f"--net=/proc/{holder.pid}/ns/net", "--"]


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True, capture_output=True, timeout=10)
