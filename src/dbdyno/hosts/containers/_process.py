"""Controls the first process of a container, as the kernel shows it and the container engine holds it."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.core import HostError
from dbdyno.hosts._local_files import LocalFiles
from dbdyno.hosts._memory_group import MemoryGroup, memory_group_of
from dbdyno.hosts._process import EXIT_UNKNOWN, start_ticks_of, still_running
from dbdyno.hosts.containers._order import ContainerOrder, translated_errors

if TYPE_CHECKING:
    from docker.models.containers import Container

    from dbdyno.hosts.containers._engine import Containers

_TIMEOUT_S = 60
_POLL_S = 0.02


class ContainerProcess:
    """Represents the first process of a container: it is the server as soon as the image's entry point has become it.

    Attributes
    ----------
    container_id : by which it is removed, and nothing else
    address : in the bridge's network; empty for other networks
    """

    def __init__(self, containers: Containers, container: Container, order: ContainerOrder, output: Path) -> None:
        self._containers = containers
        self._container = container
        self._output = output
        self._order = order
        self._code: int | None = None
        self._exit_lock = threading.Lock()
        self._was_out_of_memory = False
        self.container_id = str(container.id)
        self.pid, self.start_ticks = self._first_process()
        networks = container.attrs["NetworkSettings"].get("Networks") or {}
        self.address = next((str(n["IPAddress"]) for n in networks.values() if n.get("IPAddress")), "")

    def facts(self) -> dict[str, str]:
        """Return how it is held, for the records."""
        order = self._order
        return {
            "engine": self._containers.describe(),
            "image": order.image,
            "network": order.network,
            "memory_bytes": "" if order.memory_bytes is None else str(order.memory_bytes),
            "cpus": "" if order.cpus is None else ",".join(map(str, order.cpus)),
        }

    def memory_group(self) -> MemoryGroup | None:
        """Return its memory group; None without a limit, and where the group can't be seen from here."""
        limit = self._order.memory_bytes
        return None if limit is None else memory_group_of(LocalFiles(), self.pid, limit, os.sysconf("SC_PAGE_SIZE"))

    def poll(self) -> int | None:
        """See `Process`. Asks the kernel; after the end, one thread asks the engine and removes the container."""
        if self._code is None and start_ticks_of(self.pid) != self.start_ticks:
            with self._exit_lock:
                if self._code is None:
                    self._record_exit()
        return self._code

    @property
    def was_out_of_memory(self) -> bool:
        """Return whether the kernel ended one of its processes for want of memory within its limit."""
        return self.poll() is not None and self._was_out_of_memory

    def signal(self, number: int) -> None:
        """See `Process`. It goes to the kernel directly: the engine takes long."""
        if start_ticks_of(self.pid) == self.start_ticks:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """See `Process`."""
        self._signal("SIGTERM")

    def kill(self) -> None:
        """See `Process`."""
        self._signal("SIGKILL")

    def wait(self, timeout_s: float) -> int:
        """See `Process`."""
        deadline = time.monotonic() + timeout_s
        while (code := self.poll()) is None:
            if time.monotonic() >= deadline:
                raise still_running(f"the container {self.container_id[:12]}", timeout_s)
            time.sleep(_POLL_S)
        return code

    def _first_process(self) -> tuple[int, int]:
        """Return the pid and start time; of one that has ended already, its last words are kept."""
        with translated_errors("a container that was just started can't be inspected"):
            self._container.reload()
        pid = int(self._container.attrs["State"]["Pid"])
        ticks = start_ticks_of(pid) if pid else None
        if ticks is None or self._container.attrs["State"]["Status"] == "exited":
            self._record_exit()
            return pid, 0
        deadline = time.monotonic() + _TIMEOUT_S
        while self._order.argv[0] not in _command_line(pid):  # at first it is the runtime's own
            if start_ticks_of(pid) != ticks:
                break
            if time.monotonic() >= deadline:
                raise HostError(
                    "dbdyno can't see the processes of containers from here",
                    f"the engine at {self._containers.where} reports process {pid}, which is a different "
                    "process on this machine",
                    "run dbdyno on the machine of the container engine, inside its virtual machine if it has one",
                )
            time.sleep(_POLL_S)
        return pid, ticks

    def _signal(self, name: str) -> None:
        from docker.errors import APIError

        if self.poll() is None:
            with contextlib.suppress(APIError):  # it ended a moment ago
                self._container.kill(name)

    def _record_exit(self) -> None:
        """Record its exit code, its output and why the kernel ended it; then remove it."""
        from docker.errors import NotFound

        with translated_errors(f"the container {self.container_id[:12]} can't be inspected"):
            try:
                status = int(self._container.wait(timeout=_TIMEOUT_S)["StatusCode"])
                self._container.reload()
            except NotFound:  # somebody else has removed it
                self._code = EXIT_UNKNOWN
                return
            self._was_out_of_memory = bool(self._container.attrs["State"].get("OOMKilled"))
            with self._output.open("ab") as file:
                file.write(self._container.logs())
        self._code = 128 - status if status > 128 else status  # a shell's way to say a signal
        self._containers.remove(self.container_id)


def _command_line(pid: int) -> str:
    """Return the command line of a process; empty when there is none."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
