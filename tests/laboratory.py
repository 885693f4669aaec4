"""Real engines for tests, provisioned once.

Engines are those of the user (fetched on first use), see `session_home`; all else lies in a folder of this process.
Servers started by root run as an unprivileged user, so pytest's own temporary folders, closed to others, do not do.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import (
    RequestedOptions,
    Server,
    ServerBuild,
    ServerSize,
    StartOrder,
    choose_settings,
    copy_data_directory,
    initialise,
    start_server,
)
from dbdyno.core import EngineName, Home, MeasureError, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator
from dbdyno.provision import Installation, provision

MIB = 1 << 20
ENGINES = ("mariadb:11.8", "mariadb:11.8+rocksdb", "mysql:9.7")
_SESSION_PID = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
_SCRATCH = Path("/var/tmp")
TEMPLATES = _SCRATCH / f"dbdyno-test-{_SESSION_PID}-templates"
"""Initialised data directories, by engine, which all workers of a session copy."""
_INITIALISED_WITHIN_S = 300


@dataclass
class Laboratory:
    """Installations, initialised data directories and servers of one session."""

    host: LocalHost
    home: Home
    scratch: Path
    servers: list[Server] = field(default_factory=list)
    _count: int = 0

    def installation(self, engine: str) -> Installation:
        """An engine, fetched on first use."""
        return provision(parse_engine_name(engine), self.host, self.home)

    def folder(self) -> Path:
        """A new folder that the server user can reach."""
        self._count += 1
        path = self.scratch / f"t{self._count}"
        self.host.make_directory(path)
        return path

    def folders(self) -> set[Path]:
        """All that are there."""
        return set(self.scratch.iterdir())

    def data_directory(self, engine: str) -> Path:
        """A fresh copy of an initialised data directory."""
        name = hashlib.sha256(engine.encode()).hexdigest()[:16]  # an engine can contain paths
        installation, template = self.installation(engine), TEMPLATES / name
        with self.host.lock(TEMPLATES / f"{name}.lock", _INITIALISED_WITHIN_S):
            if not template.exists():
                new = self.folder()
                initialise(installation, new / "data", self.host)
                new.rename(template)
        data = self.folder() / "data"
        copy_data_directory(template / "data", data, self.host)
        return data

    def start(self, engine: str, data: Path | None = None, *, tier: int = 64 * MIB, **more: Any) -> Server:
        """A server with the baseline, less the parameters in `without`; `raw`, `route` and the like as in the room."""
        name: EngineName = parse_engine_name(engine)
        installation = self.installation(engine)
        settings = choose_settings(
            ServerBuild(installation.family, installation.version, name.storage_engine),
            ServerSize(tier, 16, os.cpu_count()),
            RequestedOptions(
                more.pop("asked", {}),
                more.pop("raw", {}),
                more.pop("policy", "aligned"),
                more.pop("file_options", {}),
            ),
        )
        without = more.pop("without", ())
        settings = tuple(setting for setting in settings if setting.parameter not in without)
        data = data or self.data_directory(engine)
        more.setdefault("route", "socket")
        more.setdefault("run_directory", data.parent / "run")
        order = StartOrder(
            installation=installation,
            data_directory=data,
            settings=settings,
            storage_engine=name.storage_engine,
            host=self.host,
            **more,
        )
        server = start_server(order)
        self.servers.append(server)
        return server


def remove_abandoned(folders: Iterable[Path]) -> None:
    """What killed sessions have left, gigabytes each: a disk that they fill fails every test after them.

    Another session may remove the same folders at the same time.
    """
    for folder in folders:
        pid = folder.name.split("-")[2]
        with contextlib.suppress(FileNotFoundError):
            if pid.isdigit() and not Path(f"/proc/{pid}").exists() and folder.stat().st_uid == os.getuid():
                LocalHost().remove_tree(folder)


def laboratory_folders() -> list[Path]:
    """Those of all sessions of this machine."""
    return list(_SCRATCH.glob("dbdyno-test-*-*"))


def remove_templates() -> None:
    """At the end of the whole session, not of a worker's."""
    if _SESSION_PID == os.getpid() and TEMPLATES.exists():
        LocalHost().remove_tree(TEMPLATES)


_opened: list[Laboratory] = []


def remove_ended_folders() -> None:
    """Remove what no running server uses, of the laboratory of this process, if it has one."""
    for bench in _opened:
        used = {server.data_directory.parent for server in bench.servers if server.data_directory and server.is_alive()}
        for folder in bench.folders() - used:
            bench.host.remove_tree(folder)


@pytest.fixture(scope="session")
def load_generator() -> None:
    """Skip where no load generator was built."""
    try:
        find_generator()
    except MeasureError as error:
        pytest.skip(f"{error.what}: {error.why}")


@pytest.fixture(scope="session")
def laboratory() -> Iterator[Laboratory]:
    host = LocalHost()
    scratch = Path(tempfile.mkdtemp(prefix=f"dbdyno-test-{os.getpid()}-", dir=_SCRATCH))
    scratch.chmod(0o755)
    bench = Laboratory(host, Home.of_user(), scratch)
    _opened.append(bench)
    yield bench
    _opened.remove(bench)
    for server in bench.servers:
        server.kill()
    host.remove_tree(scratch)


@pytest.fixture
def start(laboratory: Laboratory) -> Iterator[Callable[..., Server]]:
    """Start servers that end with the test, and with them what they wrote."""
    before, folders = len(laboratory.servers), laboratory.folders()
    yield laboratory.start
    while len(laboratory.servers) > before:
        laboratory.servers.pop().kill()
    for folder in laboratory.folders() - folders:
        laboratory.host.remove_tree(folder)
