"""Which container engine is this machine's, and whether it answers."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.hosts.containers._engine import Containers
from dbdyno.hosts.containers._errors import told

_TIMEOUT_S = 60


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
    with told(f"no container engine answers at {where}", "start Docker or Podman's socket, or name it in DOCKER_HOST"):
        with socket.socket(socket.AF_UNIX) as probe:  # the client library leaks its own where nobody listens
            probe.settimeout(_TIMEOUT_S)
            probe.connect(where.partition("://")[2])
        client = DockerClient(base_url=where, version="auto", timeout=_TIMEOUT_S)
    return Containers(client, where, user)


def _socket(environ: Mapping[str, str]) -> Path:
    """The first socket there is; Docker's usual one when there is none."""
    runtime = Path(environ.get("XDG_RUNTIME_DIR", "/nonexistent"))
    usual = Path("/var/run/docker.sock")
    places = (usual, runtime / "docker.sock", runtime / "podman" / "podman.sock", Path("/run/podman/podman.sock"))
    return next((path for path in places if path.exists()), usual)
