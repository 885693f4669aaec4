"""What a Docker daemon says of itself, asked over its socket; none is started, nothing is changed."""

from __future__ import annotations

import http.client
import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dbdyno.core import Docker

_SOCKET = "/var/run/docker.sock"
_TIMEOUT_S = 3.0


def read_docker(environ: Mapping[str, str] = os.environ) -> Docker | None:
    """The daemon behind DOCKER_HOST, or else behind its usual socket; None where there is no socket."""
    named = environ.get("DOCKER_HOST", "")
    path = named.removeprefix("unix://") if named.startswith("unix://") else "" if named else _SOCKET
    if not path or not Path(path).is_socket():
        return None
    try:
        info = _info(path)
        return Docker(
            path,
            version=str(info.get("ServerVersion", "")),
            processors=info.get("NCPU"),
            memory_bytes=info.get("MemTotal"),
            warnings=tuple(str(warning) for warning in info.get("Warnings") or ()),
        )
    except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
        return Docker(path, error=str(error) or type(error).__name__)


def _info(path: str) -> Mapping[str, Any]:
    connection = http.client.HTTPConnection("localhost", timeout=_TIMEOUT_S)
    with socket.socket(socket.AF_UNIX) as plain:
        plain.settimeout(_TIMEOUT_S)
        plain.connect(path)
        connection.sock = plain
        connection.request("GET", "/info")
        answer = connection.getresponse()
        found: Mapping[str, Any] = json.loads(answer.read())
    if answer.status != http.client.OK:
        raise OSError(f"it answered {answer.status}: {found.get('message', '')}")
    return found
