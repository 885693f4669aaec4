"""A real server on a host of its own: see `network_host`. Its socket is reached from here, past every cable."""

from __future__ import annotations

import contextlib
import secrets
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql

from dbdyno.provision import Installation
from network_host import NetworkHost, two_hosts

PORT, USER = 3306, "far"


@dataclass(frozen=True)
class FarServer:
    """A server on one host, and the host of its clients."""

    client: NetworkHost
    host: NetworkHost
    socket: Path
    password_file: Path

    @property
    def target(self) -> list[str]:
        return ["--host", self.host.address, "--user", USER, "--password-file", str(self.password_file), "--tls", "off"]

    def status(self, name: str) -> int:
        """A counter, read over the server's own socket: no cable is in the way."""
        with self.connection() as connection, connection.cursor() as cursor:
            cursor.execute("SHOW GLOBAL STATUS LIKE %s", (name,))
            row = cursor.fetchone()
        assert row is not None
        return int(row[1])

    def connection(self) -> Any:
        password = self.password_file.read_text().strip()
        return pymysql.connect(unix_socket=str(self.socket), user=USER, password=password)


@contextlib.contextmanager
def far_server(installation: Installation, data: Path, longest_s: int = 300) -> Iterator[FarServer]:
    """Start a server on a data directory of its own; all of it ends after `longest_s` at the latest."""
    with two_hosts(longest_s) as (client, host), tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        password_file, password = folder / "password", secrets.token_hex(12)
        password_file.touch(mode=0o600)
        password_file.write_text(password)
        accounts = [f"{USER}@'%'", f"{USER}@localhost"]
        lines = [f"CREATE USER {account} IDENTIFIED BY '{password}';\n" for account in accounts]
        lines += [f"GRANT ALL ON *.* TO {account};\n" for account in accounts]
        (folder / "init.sql").write_text("".join(lines))
        far = FarServer(client, host, folder / "s", password_file)
        with (folder / "output").open("wb") as output:
            process = subprocess.Popen(host.command(*_argv(installation, data, folder)), stdout=output, stderr=output)
        try:
            _await_ready(process, folder / "output")
            yield far
        finally:
            process.kill()
            process.wait()


def _argv(installation: Installation, data: Path, folder: Path) -> list[str]:
    own = {
        "basedir": installation.base_directory,
        "datadir": data,
        "tmpdir": folder,
        "lc_messages_dir": installation.share_directory,
        "plugin_dir": installation.plugin_directory,
        "user": "root",
        "socket": folder / "s",
        "port": PORT,
        "bind_address": "0.0.0.0",
        "init_file": folder / "init.sql",
        "pid_file": folder / "pid",
        "innodb_buffer_pool_size": "64M",
        "skip_name_resolve": "ON",
    }
    return [*installation.server_argv, "--no-defaults", *(f"--{name}={value}" for name, value in own.items())]


def _await_ready(process: subprocess.Popen[bytes], output: Path) -> None:
    """Until it says so: the accounts of its start file are there then."""
    deadline = time.monotonic() + 120
    while "ready for connections" not in output.read_text(errors="replace"):
        assert process.poll() is None and time.monotonic() < deadline, output.read_text()[-2000:]
        time.sleep(0.1)
