"""Private folders on a remote host, with sockets and passwords in them, go with the session that made them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dbdyno.hosts._private import make_private_folder
from dbdyno.hosts.remote import SSH_VARIABLE, connect
from dbdyno.lab import find_generator
from remote_hosts import comes_true


def test_private_folders_go_with_the_session_wherever_they_lie(
    ssh_here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime_directory = tmp_path / "runtime"
    runtime_directory.mkdir(mode=0o700)
    monkeypatch.setenv(SSH_VARIABLE, str(ssh_here))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime_directory))
    host = connect(f"{os.getuid()}@here", find_generator(), home=str(tmp_path / "home"))
    folders = [make_private_folder(host, 0o700, [root]) for root in (runtime_directory, Path("/tmp"))]
    (folders[0] / "client.password").write_text("secret")
    other = runtime_directory / "other"
    host.make_directory(other)
    host.end()
    assert comes_true(lambda: not any(folder.exists() for folder in folders), 10)
    assert other.exists()
