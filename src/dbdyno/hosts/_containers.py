"""Containers of this machine, through the API that Docker and Podman share. The only user of the client library.

Whatever a server is told lies in folders of the host that are mounted at their own paths, so an option file, a socket
or a log has one name inside and outside, and the server's process is one of the host's.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from dbdyno.core import HostError
from dbdyno.hosts._process import EXIT_UNKNOWN, start_ticks_of
from dbdyno.hosts._protocol import Completed

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container
    from docker.models.images import Image

Network = Literal["host", "bridge", "none"]
_LABEL = "dbdyno"
_TIMEOUT_S = 60
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """An image on this machine.

    Parameters
    ----------
    image_id : digest of its configuration: the same bytes, whatever they are called
    digest : of the registry's manifest it was pulled by; empty for one that was built or loaded here
    """

    reference: str
    image_id: str
    digest: str
    bytes: int


@dataclass(frozen=True, slots=True)
class ContainerOrder:
    """One container.

    Parameters
    ----------
    image : id or reference; it must be here
    argv : follows the image's own entry point
    folders : of the host, mounted where the mapping says, to be written
    files : the same, to be read
    network : ``host``: the host's own; ``bridge``: an address of its own; ``none``: nothing but sockets
    memory_bytes : limit of all its processes and of the page cache they fill, without swap; None: no limit
    """

    image: str
    argv: tuple[str, ...]
    folders: Mapping[Path, str] = field(default_factory=lambda: MappingProxyType({}))
    files: Mapping[Path, str] = field(default_factory=lambda: MappingProxyType({}))
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    network: Network = "none"
    cpus: Sequence[int] | None = None
    memory_bytes: int | None = None
    open_files: int | None = None


class Containers:
    """A container engine that answers on this machine.

    Parameters
    ----------
    user : ids that servers run as
    """

    def __init__(self, client: DockerClient, where: str, user: tuple[int, int]) -> None:
        self._client = client
        self._user = user
        self.where = where

    def describe(self) -> str:
        """Name and version of the engine.

        Such as ``Docker 28.2`` or ``Podman 5.4``.
        """
        with _told("the container engine does not say its version"):
            said: dict[str, Any] = self._client.version()
        parts = {part["Name"]: part["Version"] for part in said.get("Components") or [] if "Version" in part}
        if "Podman Engine" in parts:
            return f"Podman {parts['Podman Engine']}"
        return f"Docker {said.get('Version', '')}".strip()

    def images(self) -> list[tuple[str, int]]:
        """References of all tagged images here, each with its bytes."""
        with _told("the container engine does not list its images"):
            return [(tag, int(image.attrs["Size"])) for image in self._client.images.list() for tag in image.tags]

    def image(self, reference: str) -> ImageFacts | None:
        """An image that is here; None when it is not."""
        from docker.errors import ImageNotFound

        with _told(f"the image {reference} can't be looked at"):
            try:
                return _image_facts(reference, self._client.images.get(reference))
            except ImageNotFound:
                return None

    def pull(self, reference: str, progress: Callable[[str], None]) -> ImageFacts:
        """Have the engine fetch an image from its registry.

        Raises
        ------
        HostError : it can't; the engine's or the registry's words are given
        """
        progress(f"pull {reference}")
        remedy = "correct its name, log in to its registry, or load it (docker load, docker build)"
        with _told(f"the image {reference} can't be pulled", remedy):
            has_tag = "@" in reference or ":" in reference.rpartition("/")[2]
            return _image_facts(reference, self._client.images.pull(reference if has_tag else f"{reference}:latest"))

    def has_file(self, image: str, path: str) -> bool:
        """Whether an image holds a file; nothing is run."""
        from docker.errors import NotFound

        with _told(f"the image {image} can't be looked into"):
            container = self._client.containers.create(image, ["-"], labels=self._labels())
            try:
                container.get_archive(path)
            except NotFound:
                return False
            finally:
                container.remove(force=True, v=True)
            return True

    def run(self, order: ContainerOrder, timeout_s: float) -> Completed:
        """Run one to its end and remove it."""
        container = self._started(order)
        try:
            with _told(f"{order.image} does not end", "see its log"):
                code = int(container.wait(timeout=timeout_s)["StatusCode"])
                out = container.logs(stdout=True, stderr=False).decode(errors="replace")
                err = container.logs(stdout=False, stderr=True).decode(errors="replace")
        finally:
            self.remove(str(container.id))
        return Completed(order.argv, code, out, err)

    def start(self, order: ContainerOrder, output: Path) -> ContainerProcess:
        """Start one and leave it running; what it prints goes to `output` when it has ended.

        Raises
        ------
        HostError : it does not start, or its processes are not this machine's
        """
        container = self._started(order)
        try:
            return ContainerProcess(self, container, order, output)
        except BaseException:
            self.remove(str(container.id))
            raise

    def remove(self, container_id: str) -> bool:
        """Remove a container with its volumes, running or not; False when there is none of that id."""
        from docker.errors import NotFound

        with _told(f"the container {container_id[:12]} can't be removed"):
            try:
                self._client.api.remove_container(container_id, v=True, force=True)
            except NotFound:
                return False
        return True

    def _started(self, order: ContainerOrder) -> Container:
        words = " ".join(order.argv)[:200]
        with _told(f"a container of {order.image} does not start", why=words):
            container: Container = self._client.containers.run(order.image, list(order.argv), **self._options(order))
            return container

    def _options(self, order: ContainerOrder) -> dict[str, Any]:
        """How the engine's client calls what an order says."""
        from docker.types import Mount, Ulimit

        mounts = [Mount(at, str(path), type="bind") for path, at in order.folders.items()]
        mounts += [Mount(at, str(path), type="bind", read_only=True) for path, at in order.files.items()]
        options: dict[str, Any] = {
            "detach": True,
            "network_mode": order.network,
            "environment": dict(order.environment),
            "mounts": mounts,
            "labels": self._labels(),
        }
        if order.cpus:
            options["cpuset_cpus"] = ",".join(map(str, order.cpus))
        if order.memory_bytes is not None:
            options["mem_limit"] = options["memswap_limit"] = order.memory_bytes  # the sum with swap: no swap
        if order.open_files is not None:
            options["ulimits"] = [Ulimit(name="nofile", soft=order.open_files, hard=order.open_files)]
        return options | self._identity()

    def _identity(self) -> dict[str, str]:
        """Who the processes are, so that their files belong to the server user outside, too."""
        with _told("the container engine does not say how it runs"):
            maps_users = "name=rootless" in (self._client.info().get("SecurityOptions") or [])
        user = {"user": f"{self._user[0]}:{self._user[1]}"}
        if not maps_users:
            return user
        if not self.describe().startswith("Podman"):
            raise HostError(
                f"the container engine at {self.where} runs without root and gives files to ids of its own",
                "data directories could not be copied or removed",
                "use Podman's socket, which keeps ids, or Docker as the system's service",
            )
        return user | {"userns_mode": "keep-id"}

    def _labels(self) -> dict[str, str]:
        return {_LABEL: f"{os.getpid()}"}


class ContainerProcess:
    """The first process of a container: it is the server as soon as the image's entry point has become it.

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
        self._was_out_of_memory = False
        self.container_id = str(container.id)
        self.pid, self.start_ticks = self._first_process()
        networks = container.attrs["NetworkSettings"].get("Networks") or {}
        self.address = next((str(n["IPAddress"]) for n in networks.values() if n.get("IPAddress")), "")

    def facts(self) -> dict[str, str]:
        """How it is held, for the records."""
        order = self._order
        return {
            "engine": self._containers.describe(),
            "image": order.image,
            "network": order.network,
            "memory_bytes": "" if order.memory_bytes is None else str(order.memory_bytes),
            "cpus": "" if order.cpus is None else ",".join(map(str, order.cpus)),
        }

    def poll(self) -> int | None:
        """See `Process`. The kernel is asked; the engine only once it has ended."""
        if self._code is None and start_ticks_of(self.pid) != self.start_ticks:
            self._end()
        return self._code

    @property
    def was_out_of_memory(self) -> bool:
        """Whether the kernel ended one of its processes for want of memory within its limit."""
        return self.poll() is not None and self._was_out_of_memory

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
                raise HostError(f"the container {self.container_id[:12]} still runs after {timeout_s:g} s")
            time.sleep(_POLL_S)
        return code

    def _first_process(self) -> tuple[int, int]:
        """Pid and start time; of one that has ended already, its last words are kept."""
        with _told("a container that was just started can't be looked at"):
            self._container.reload()
        pid = int(self._container.attrs["State"]["Pid"])
        ticks = start_ticks_of(pid) if pid else None
        if ticks is None or self._container.attrs["State"]["Status"] == "exited":
            self._end()
            return pid, 0
        deadline = time.monotonic() + _TIMEOUT_S
        while self._order.argv[0] not in _words_of(pid):  # at first it is the runtime's own
            if start_ticks_of(pid) != ticks:
                break
            if time.monotonic() >= deadline:
                raise HostError(
                    "the processes of containers can't be seen from here",
                    f"the engine at {self._containers.where} says process {pid}, which is another on this machine",
                    "run dbdyno where the container engine runs: beside it, not in front of its virtual machine",
                )
            time.sleep(_POLL_S)
        return pid, ticks

    def _signal(self, name: str) -> None:
        from docker.errors import APIError

        if self.poll() is None:
            with contextlib.suppress(APIError):  # it ended a moment ago
                self._container.kill(name)

    def _end(self) -> None:
        """Its exit code, its output and why the kernel ended it; then it is removed."""
        from docker.errors import NotFound

        with _told(f"the container {self.container_id[:12]} can't be looked at"):
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


def _words_of(pid: int) -> str:
    """The command line of a process; empty when there is none."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def open_containers(user: tuple[int, int], environ: Mapping[str, str] = os.environ) -> Containers:
    """The container engine of this machine: that of DOCKER_HOST, else Docker's or Podman's own socket.

    Raises
    ------
    HostError : none answers, we may not use it, or it is another machine's
    """
    from docker import DockerClient

    where = environ.get("DOCKER_HOST") or f"unix://{_socket(environ)}"
    if not where.startswith(("unix://", "http+unix://")):
        raise HostError(
            f"the container engine at {where} is another machine's",
            "data directories are folders of this one",
            "run dbdyno there, or unset DOCKER_HOST",
        )
    with _told(f"no container engine answers at {where}", "start Docker or Podman's socket, or name it in DOCKER_HOST"):
        with socket.socket(socket.AF_UNIX) as probe:  # the client library leaks its own where nobody listens
            probe.connect(where.partition("://")[2])
        client = DockerClient(base_url=where, version="auto", timeout=_TIMEOUT_S)
    return Containers(client, where, user)


def _socket(environ: Mapping[str, str]) -> Path:
    """The first socket there is; Docker's usual one when there is none."""
    runtime = Path(environ.get("XDG_RUNTIME_DIR", "/nonexistent"))
    usual = Path("/var/run/docker.sock")
    places = (usual, runtime / "docker.sock", runtime / "podman" / "podman.sock", Path("/run/podman/podman.sock"))
    return next((path for path in places if path.exists()), usual)


@contextlib.contextmanager
def _told(what: str, remedy: str = "", why: str = "") -> Iterator[None]:
    """What the client library raises, in our words."""
    import requests
    from docker.errors import APIError, DockerException

    try:
        yield
    except APIError as error:
        raise HostError(what, "\n".join(filter(None, (why, str(error.explanation or error)))), remedy) from error
    except (DockerException, requests.RequestException, OSError) as error:
        text = str(error)
        if "Permission denied" in text:
            remedy = "add your user to the group docker and log in anew, or use Podman's own socket"
        raise HostError(what, "\n".join(filter(None, (why, _last_cause(error)))), remedy) from error


def _last_cause(error: BaseException) -> str:
    """What lies at the root of a chain of errors, in one line."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _image_facts(reference: str, image: Image) -> ImageFacts:
    digests = image.attrs.get("RepoDigests") or []
    digest = next((text.partition("@")[2] for text in digests), "")
    return ImageFacts(reference, str(image.id), digest, int(image.attrs["Size"]))
