"""What a study asks of the machine that it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.study import Study


@dataclass(frozen=True, slots=True)
class Needs:
    """Needs of a study; of servers that run elsewhere nothing is asked here.

    Parameters
    ----------
    concurrency : most connections of any run
    memory_bytes : of the largest server
    disk_bytes : of engines, snapshots and a running copy; 0 where nothing is kept here
    routes : how the client reaches the servers
    server_processors, client_processors : those they are pinned to; None: left to the scheduler
    has_own_servers : at least one target is started here
    sources : where its engines come from, such as ``package`` or ``image``
    features : of the kernel, by name: ``netem``, or a controller of control groups such as ``memory``
    """

    concurrency: int
    memory_bytes: int
    disk_bytes: int
    routes: tuple[str, ...] = ("socket",)
    server_processors: tuple[int, ...] | None = None
    client_processors: tuple[int, ...] | None = None
    has_own_servers: bool = True
    sources: tuple[str, ...] = ()
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Generator:
    """The load generator here: where it is, or why it is not, and whether it was calibrated on this machine."""

    path: str
    why: str = ""
    is_calibrated: bool | None = None


def needs_of(study: Study, memory_bytes: int, disk_bytes: int, features: Sequence[str] = ()) -> Needs:
    """The needs of a study, with what its plan estimates of memory and disk."""
    own = any(not target.engine.source.startswith("server") for target in study.targets)
    return Needs(
        concurrency=max(study.concurrencies),
        memory_bytes=memory_bytes if own else 0,
        disk_bytes=disk_bytes if own else 0,
        routes=study.routes,
        server_processors=study.pinning.server,
        client_processors=study.pinning.client,
        has_own_servers=own,
        sources=tuple(sorted({target.engine.source_kind for target in study.targets} - {""})),
        features=(*features, *(("memory",) if study.limits.memory is not None else ())),
    )
