"""A private server for benches, and what a command costs the processor."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dbdyno.configure import (
    RequestedOptions,
    Server,
    ServerBuild,
    ServerSize,
    StartOrder,
    choose_settings,
    initialise,
    start_server,
)
from dbdyno.core import Home, Route, parse_engine_name
from dbdyno.engines import SettingValue
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision

TIER_BYTES = 512 << 20


class _HostWithVariables(LocalHost):
    """Starts servers of this machine with variables of ours."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        super().__init__()
        self._variables = dict(variables)

    def spawn(self, argv: Sequence[str], **more: Any) -> Any:  # noqa: ANN401 - as they are handed on
        return super().spawn(argv, **{**more, "env": {**(more.get("env") or {}), **self._variables}})


@contextmanager
def private_server(
    engine: str,
    route: Route,
    connections: int,
    *,
    tier_bytes: int = TIER_BYTES,
    raw: Mapping[str, str] = MappingProxyType({}),
    parameters: Mapping[str, SettingValue] = MappingProxyType({}),
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Server]:
    """A fresh server of ours, gone afterwards with all it held.

    Parameters
    ----------
    raw, parameters : options of the server, and dbdyno's own settings such as ``redo.capacity``
    environment : variables of the server's process, such as ``LD_PRELOAD``
    """
    host, home = _HostWithVariables(environment), Home.of_user()
    with tempfile.TemporaryDirectory(prefix="dbdyno-bench-", dir="/var/tmp") as scratch:
        Path(scratch).chmod(0o755)
        name = parse_engine_name(engine)
        installation = provision(name, host, home)
        data = Path(scratch) / "data"
        initialise(installation, data, host)
        settings = choose_settings(
            ServerBuild(installation.family, installation.version, name.storage_engine),
            ServerSize(tier_bytes, connections, os.cpu_count()),
            RequestedOptions(parameters, raw),
        )
        run = Path(scratch) / "run"
        order = StartOrder(
            installation=installation,
            data_directory=data,
            settings=settings,
            route=route,
            host=host,
            run_directory=run,
            storage_engine=name.storage_engine,
        )
        server = start_server(order)
        try:
            yield server
        finally:
            server.kill()


def reap(
    argv: Sequence[str], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> tuple[str, int]:
    """Standard output and CPU nanoseconds of a command, as the kernel accounts them; its failure ends the bench."""
    with tempfile.TemporaryFile("w+") as output:
        env = {**os.environ, **(environment or {})}
        process = subprocess.Popen(argv, stdout=output, cwd=cwd, env=env)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
        if process.returncode:
            sys.exit(f"error: {argv[0]} ended with exit code {process.returncode}\n{text[-2000:]}")
        return text, round((usage.ru_utime + usage.ru_stime) * 1e9)
