"""Reads the control group that this process runs in, and what a Docker daemon says of itself."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dbdyno.core import ControlGroup, Docker
from dbdyno.hosts._tree import Tree

_ROOT = Path("/sys/fs/cgroup")
_NO_LIMIT_BYTES = 1 << 60  # version 1 writes almost 2^63 where there is none


def read_control_group(tree: Tree) -> tuple[ControlGroup, int | None]:
    """Return the group, and the processes that it allows (None: any). Limits of groups above it bind as well."""
    places = _group_paths(tree)
    if tree.text(_ROOT / "cgroup.controllers"):
        return _read_version_2(tree, places.get("", "/"))
    return _read_version_1(tree, places) if places else (ControlGroup(), None)


def _group_paths(tree: Tree) -> dict[str, str]:
    """Return controller -> path of the group; the empty name is version 2's."""
    places = {}
    for line in tree.text("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        for name in controllers.split(","):
            places[name] = path
    return places


def _read_version_2(tree: Tree, path: str) -> tuple[ControlGroup, int | None]:
    folders = _folders_upwards(_ROOT, path)
    quotas = [_quota_processors(*tree.text(folder / "cpu.max").split()) for folder in folders]
    group = ControlGroup(
        version=2,
        controllers=tuple(sorted(tree.text(folders[0] / "cgroup.controllers").split())),
        processors=_lowest(quotas),
        memory_bytes=_whole_number(_lowest(_parse_limit(tree.text(folder / "memory.max")) for folder in folders)),
        is_writable=tree.files.can_write(tree.at(folders[0])),
    )
    return group, _whole_number(_lowest(_parse_limit(tree.text(folder / "pids.max")) for folder in folders))


def _read_version_1(tree: Tree, places: dict[str, str]) -> tuple[ControlGroup, int | None]:
    def folders(controller: str) -> list[Path]:
        return _folders_upwards(_ROOT / controller, places.get(controller, "/"))

    quotas = [
        _quota_processors(tree.text(folder / "cpu.cfs_quota_us"), tree.text(folder / "cpu.cfs_period_us"))
        for folder in folders("cpu")
    ]
    names = [name for name in places if name and "=" not in name]
    memory = folders("memory")
    group = ControlGroup(
        version=1,
        controllers=tuple(sorted(names)),
        processors=_lowest(quotas),
        memory_bytes=_whole_number(
            _lowest(_parse_limit(tree.text(folder / "memory.limit_in_bytes")) for folder in memory)
        ),
        is_writable=tree.files.can_write(tree.at(memory[0])),
    )
    return group, _whole_number(_lowest(_parse_limit(tree.text(folder / "pids.max")) for folder in folders("pids")))


def _folders_upwards(root: Path, path: str) -> list[Path]:
    own_folder = root / path.lstrip("/")
    return [own_folder, *(parent for parent in own_folder.parents if parent == root or root in parent.parents)]


def _quota_processors(quota: str = "", period: str = "") -> float | None:
    """Return processors that a quota is worth."""
    return int(quota) / int(period) if re.fullmatch(r"\d+", quota) and re.fullmatch(r"[1-9]\d*", period) else None


def _parse_limit(text: str) -> float | None:
    return int(text) if re.fullmatch(r"\d+", text) and int(text) < _NO_LIMIT_BYTES else None


def _lowest(values: Iterable[float | None]) -> float | None:
    known_values = [value for value in values if value is not None]
    return min(known_values, default=None)


def _whole_number(value: float | None) -> int | None:
    return None if value is None else int(value)


_SOCKET = "/var/run/docker.sock"
_TIMEOUT_S = 3.0


def read_docker(environ: Mapping[str, str] = os.environ) -> Docker | None:
    """Return the daemon behind DOCKER_HOST, or else behind its usual socket; None where there is no socket."""
    configured_host = environ.get("DOCKER_HOST", "")
    path = (
        configured_host.removeprefix("unix://")
        if configured_host.startswith("unix://")
        else ""
        if configured_host
        else _SOCKET
    )
    if not path or not Path(path).is_socket():
        return None
    try:
        info = _query_engine_info(path)
        return Docker(
            path,
            version=str(info.get("ServerVersion", "")),
            processors=info.get("NCPU"),
            memory_bytes=info.get("MemTotal"),
            warnings=tuple(str(warning) for warning in info.get("Warnings") or ()),
        )
    except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
        return Docker(path, error=str(error) or type(error).__name__)


def _query_engine_info(path: str) -> Mapping[str, Any]:
    connection = http.client.HTTPConnection("localhost", timeout=_TIMEOUT_S)
    with socket.socket(socket.AF_UNIX) as unix_socket:
        unix_socket.settimeout(_TIMEOUT_S)
        unix_socket.connect(path)
        connection.sock = unix_socket
        connection.request("GET", "/info")
        answer = connection.getresponse()
        info: Mapping[str, Any] = json.loads(answer.read())
    if answer.status != http.client.OK:
        raise OSError(f"it answered {answer.status}: {info.get('message', '')}")
    return info
