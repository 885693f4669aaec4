"""Finds this machine's container engine, its images, and runs containers of them."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.core import HostError
from dbdyno.hosts._process_protocol import Completed
from dbdyno.hosts.containers._order import ContainerOrder, ImageFacts, translated_errors
from dbdyno.hosts.containers._process import ContainerProcess

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container
    from docker.models.images import Image


_LABEL = "dbdyno"


class Containers:
    """Represents a container engine that answers on this machine.

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
        with translated_errors("the container engine does not report its version"):
            versions: dict[str, Any] = self._client.version()
        component_versions = {
            component["Name"]: component["Version"]
            for component in versions.get("Components") or []
            if "Version" in component
        }
        if "Podman Engine" in component_versions:
            return f"Podman {component_versions['Podman Engine']}"
        return f"Docker {versions.get('Version', '')}".strip()

    def images(self) -> list[tuple[str, int]]:
        """Return references of all tagged images here, each with its bytes."""
        with translated_errors("the container engine does not list its images"):
            return [(tag, int(image.attrs["Size"])) for image in self._client.images.list() for tag in image.tags]

    def image(self, reference: str) -> ImageFacts | None:
        """Return an image that is here; None when it is not."""
        from docker.errors import ImageNotFound

        with translated_errors(f"the image {reference} can't be inspected"):
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
        with translated_errors(f"the image {reference} can't be pulled", remedy, code="not-pulled"):
            has_tag = "@" in reference or ":" in reference.rpartition("/")[2]
            return _image_facts(reference, self._client.images.pull(reference if has_tag else f"{reference}:latest"))

    def has_file(self, image: str, path: str) -> bool:
        """Return whether an image holds a file; nothing is run."""
        from docker.errors import NotFound

        with translated_errors(f"the image {image} can't be read"):
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
        container = self._start_container(order)
        try:
            with translated_errors(f"{order.image} does not end", "see its log"):
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
        container = self._start_container(order)
        try:
            return ContainerProcess(self, container, order, output)
        except BaseException:
            self.remove(str(container.id))
            raise

    def remove(self, container_id: str) -> bool:
        """Remove a container with its volumes, running or not; False when there is none of that id."""
        from docker.errors import NotFound

        with translated_errors(f"the container {container_id[:12]} can't be removed"):
            try:
                self._client.api.remove_container(container_id, v=True, force=True)
            except NotFound:
                return False
        return True

    def _start_container(self, order: ContainerOrder) -> Container:
        words = " ".join(order.argv)[:200]
        with translated_errors(f"a container of {order.image} does not start", why=words):
            container: Container = self._client.containers.run(
                order.image, list(order.argv), **self._run_options(order)
            )
            return container

    def _run_options(self, order: ContainerOrder) -> dict[str, Any]:
        """Return how the engine's client calls what an order says."""
        from docker.types import Mount, Ulimit

        mounts = [Mount(mount_path, str(path), type="bind") for path, mount_path in order.folders.items()]
        mounts += [
            Mount(mount_path, str(path), type="bind", read_only=True) for path, mount_path in order.files.items()
        ]
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
        """Choose the processes' user, so that their files belong to the server user outside, too."""
        with translated_errors("the container engine does not report how it runs"):
            maps_users = "name=rootless" in (self._client.info().get("SecurityOptions") or [])
        user = {"user": f"{self._user[0]}:{self._user[1]}"}
        if not maps_users:
            return user
        if not self.describe().startswith("Podman"):
            raise HostError(
                f"the container engine at {self.where} runs without root and maps files to other user ids",
                "dbdyno could not copy or remove data directories",
                "use Podman's socket, which keeps user ids, or Docker as a system service",
            )
        return user | {"userns_mode": "keep-id"}

    def _labels(self) -> dict[str, str]:
        return {_LABEL: f"{os.getpid()}"}


def _image_facts(reference: str, image: Image) -> ImageFacts:
    digests = image.attrs.get("RepoDigests") or []
    digest = next((text.partition("@")[2] for text in digests), "")
    return ImageFacts(reference, str(image.id), digest, int(image.attrs["Size"]))


_TIMEOUT_S = 60


def open_containers(user: tuple[int, int], environ: Mapping[str, str] = os.environ) -> Containers:
    """Return the container engine of this machine: that of DOCKER_HOST, else Docker's or Podman's own socket.

    Raises
    ------
    HostError : none answers, we may not use it, or it is on another machine
    """
    from docker import DockerClient

    engine_url = environ.get("DOCKER_HOST") or f"unix://{_engine_socket(environ)}"
    if not engine_url.startswith(("unix://", "http+unix://")):
        raise HostError(
            f"the container engine at {engine_url} is on another machine",
            "data directories are folders of this machine",
            "run dbdyno there, or unset DOCKER_HOST",
            code="other-machine",
        )
    with translated_errors(
        f"no container engine answers at {engine_url}",
        "start Docker or Podman's socket, or name it in DOCKER_HOST",
        code="container-engine-missing",
    ):
        with socket.socket(socket.AF_UNIX) as probe:  # the client library leaks its own where nobody listens
            probe.settimeout(_TIMEOUT_S)
            probe.connect(engine_url.partition("://")[2])
        client = DockerClient(base_url=engine_url, version="auto", timeout=_TIMEOUT_S)
    return Containers(client, engine_url, user)


def _engine_socket(environ: Mapping[str, str]) -> Path:
    """Return the first socket there is; Docker's usual one when there is none."""
    runtime = Path(environ.get("XDG_RUNTIME_DIR", "/nonexistent"))
    default_socket = Path("/var/run/docker.sock")
    places = (
        default_socket,
        runtime / "docker.sock",
        runtime / "podman" / "podman.sock",
        Path("/run/podman/podman.sock"),
    )
    return next((path for path in places if path.exists()), default_socket)
