"""Holds what a container engine is ordered and what it says of an image, and translates its errors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from dbdyno.core import HostError

Network = Literal["host", "bridge", "none"]


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """Describes an image on this machine.

    Parameters
    ----------
    image_id : digest of its configuration: the same bytes under any name
    digest : of the registry's manifest it was pulled by; empty for one that was built or loaded here
    """

    reference: str
    image_id: str
    digest: str
    bytes: int


@dataclass(frozen=True, slots=True)
class ContainerOrder:
    """Describes one container.

    Parameters
    ----------
    image : id or reference; it must be here
    argv : follows the image's own entry point
    folders : of the host, mounted where the mapping says, to be written
    files : the same, to be read
    network : ``host``: the host's own; ``bridge``: its own address; ``none``: sockets only
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


@contextlib.contextmanager
def translated_errors(what: str, remedy: str = "", why: str = "", *, code: str = "") -> Iterator[None]:
    """Translate what the client library raises into a `DbdynoError`."""
    import requests
    from docker.errors import APIError, DockerException

    try:
        yield
    except APIError as error:
        raise HostError(
            what, "\n".join(filter(None, (why, str(error.explanation or error)))), remedy, code=code
        ) from error
    except (DockerException, requests.RequestException, OSError) as error:
        text = str(error)
        if "Permission denied" in text:
            remedy = "add your user to the group docker and log in again, or use Podman's own socket"
        raise HostError(what, "\n".join(filter(None, (why, _root_cause(error)))), remedy, code=code) from error


def _root_cause(error: BaseException) -> str:
    """Return what lies at the root of a chain of errors, in one line."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
    return str(error).splitlines()[0] if str(error) else type(error).__name__
