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
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

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
        return [*inside(self.holder), *argv]

    def cut(self) -> None:
        """Pull the cable."""
        run(*inside(self.switch), "ip", "link", "set", self.port, "nomaster")

    def mend(self) -> None:
        """Plug the cable in again."""
        run(*inside(self.switch), "ip", "link", "set", self.port, "master", "switch")

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
        return [pid for pid in processes_in(self.holder.pid) if pid != self.holder.pid]


@contextlib.contextmanager
def two_hosts(longest_s: int = _LONGEST_S) -> Iterator[tuple[NetworkHost, NetworkHost]]:
    """A client and a server on one switch. Skips the test where namespaces can't be made."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    with contextlib.ExitStack() as stack:
        try:
            switch, *holders = (stack.enter_context(held_namespace(longest_s)) for _ in range(3))
            run(*inside(switch), "ip", "link", "add", "switch", "type", "bridge")
            run(*inside(switch), "ip", "link", "set", "switch", "up")
            hosts = [_host(switch, holder, number) for number, holder in enumerate(holders, start=1)]
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no network namespace can be made here: {error}")
        try:
            yield hosts[0], hosts[1]
        finally:
            for host in hosts:
                host._signal(signal.SIGKILL)


@dataclass(frozen=True)
class CabledHosts:
    """Two hosts and the cable between them, which a process is.

    Attributes
    ----------
    near, far : the processes that keep their namespaces
    carrier : see `long_cable`
    """

    near: subprocess.Popen[bytes]
    far: subprocess.Popen[bytes]
    carrier: subprocess.Popen[bytes]
    near_address: ClassVar[str] = "10.96.0.1"
    far_address: ClassVar[str] = "10.96.0.2"

    def near_command(self, *argv: str) -> list[str]:
        """The command line by which a program runs on the near host."""
        return [*inside(self.near), *argv]

    def far_command(self, *argv: str) -> list[str]:
        """The command line by which a program runs on the far host."""
        return [*inside(self.far), *argv]


@contextlib.contextmanager
def cabled_hosts(round_trip_ms: float, rate_mbit: float, longest_s: int = _LONGEST_S) -> Iterator[CabledHosts]:
    """A near and a far host on a long or slow cable. Skips the test where they can't be made."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    with contextlib.ExitStack() as stack:
        try:
            near, far = (stack.enter_context(held_namespace(longest_s)) for _ in range(2))
            program = [sys.executable, str(Path(__file__).with_name("long_cable.py")), "eth0", "eth0", str(far.pid)]
            words = [*inside(near), *program, str(round_trip_ms), str(rate_mbit), "0"]
            carrier = stack.enter_context(subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
            stack.callback(carrier.kill)
            if carrier.stdout is None or carrier.stdout.readline() != b"ready\n":
                message = "no TAP device"
                raise OSError(message)
            for holder, address in ((near, CabledHosts.near_address), (far, CabledHosts.far_address)):
                # Not BBR, which some machines have: it spreads a reply over a quarter of a round trip.
                run(*inside(holder), "sh", "-c", "echo reno >/proc/sys/net/ipv4/tcp_congestion_control")
                run(*inside(holder), "ip", "link", "set", "lo", "up")
                run(*inside(holder), "ip", "addr", "add", f"{address}/24", "dev", "eth0")
                run(*inside(holder), "ip", "link", "set", "eth0", "up")
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no network namespace can be made here: {error}")
        yield CabledHosts(near, far, carrier)


def _host(switch: subprocess.Popen[bytes], holder: subprocess.Popen[bytes], number: int) -> NetworkHost:
    port, address, there = f"port{number}", f"10.97.0.{number}", inside(holder)
    peer = ("peer", "name", "eth0", "netns", str(holder.pid))
    run(*inside(switch), "ip", "link", "add", port, "type", "veth", *peer)
    run(*inside(switch), "ip", "link", "set", port, "master", "switch", "up")
    run(*there, "ip", "link", "set", "lo", "up")
    run(*there, "ip", "addr", "add", f"{address}/24", "dev", "eth0")
    run(*there, "ip", "link", "set", "eth0", "up")
    return NetworkHost(holder, switch, address, port)


@contextlib.contextmanager
def held_namespace(longest_s: int) -> Iterator[subprocess.Popen[bytes]]:
    """A network namespace, by the process that keeps it."""
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


def processes_in(pid: int) -> list[int]:
    """Processes in the network namespace of one."""
    network = _network_of(pid)
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if network is not None and _network_of(pid) == network]


def _network_of(pid: int) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/ns/net").readlink())
    except OSError:  # ended, or a kernel thread
        return None


def inside(holder: subprocess.Popen[bytes]) -> list[str]:
    """Words that precede a command which runs in a namespace."""
    return ["nsenter", f"--net=/proc/{holder.pid}/ns/net", "--"]


def run(*argv: str) -> None:
    """Run a command that must succeed."""
    subprocess.run(argv, check=True, capture_output=True, timeout=10)
