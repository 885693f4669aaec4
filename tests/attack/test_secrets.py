"""A secret that dbdyno is given by an environment variable stays with dbdyno: no process that it starts has it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.core import MeasureError
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator
from running_study import RunningStudy, children_of, name_of

pytestmark = pytest.mark.attack
SECRET = "swordfish-4711"
PROXY = "http://me:proxy-password@proxy:3128"


def test_commands_get_no_secret_and_only_downloads_get_proxies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASSWORD", SECRET)
    monkeypatch.setenv("https_proxy", PROXY)
    host, shown = LocalHost(), ["cat", "/proc/self/environ"]
    for is_download in (False, True):
        said = host.run(shown, timeout_s=30, is_download=is_download).stdout
        assert SECRET not in said
        assert (PROXY in said) is is_download
    piped = host.spawn_piped(shown, stdin=b"")
    said = "\n".join(piped.lines())
    piped.wait(30)
    assert "PATH=" in said
    assert SECRET not in said and PROXY not in said
    host.spawn(shown, stdout=tmp_path / "environ", stderr=None).wait(30)
    said = (tmp_path / "environ").read_text()
    assert "PATH=" in said
    assert SECRET not in said and PROXY not in said


@pytest.mark.server
def test_no_process_of_a_study_has_the_secret(tmp_path: Path) -> None:
    try:
        find_generator()
    except MeasureError as error:
        pytest.skip(str(error))
    study = RunningStudy.start(tmp_path, window="2s", cells=1, environ={**os.environ, "DB_PASSWORD": SECRET})
    seen: dict[str, bool] = {}
    servers: set[str] = set()
    while study.popen.poll() is None:
        for pid in _below(study.popen.pid):
            name, environ = name_of(pid), _environ_of(pid)
            if environ and name != name_of(study.popen.pid):  # the same name: forked, and not yet another program
                seen[name] = seen.get(name, False) or SECRET.encode() in environ
        servers |= {name_of(pid) for pid in study.servers()}
        time.sleep(0.02)
    assert study.end() == 0, study.said()
    assert servers - {""} and "dbdyno-load" in seen
    assert servers - {""} <= set(seen)
    assert not [name for name, has_secret in seen.items() if has_secret]
    kept = [path for path in study.folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert not kept


def _below(pid: int) -> Iterator[int]:
    for child in children_of(pid):
        yield child
        yield from _below(child)


def _environ_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
