"""What is asked of a container engine, and what it says of an image. Values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

Network = Literal["host", "bridge", "none"]


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
