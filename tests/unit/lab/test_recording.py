"""What is recorded of a server's stacks while another study begins on the same machine."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dbdyno.core import Home, Profiler
from dbdyno.hosts import LocalHost, _private
from dbdyno.lab._orphans import remove_orphans
from dbdyno.lab._run_executor import RunExecutor
from dbdyno.lab._session import Session


def test_a_long_recording_is_left_alone_and_goes_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private_root = tmp_path / "tmp"
    private_root.mkdir()
    monkeypatch.setattr(_private, "TEMPORARY", private_root)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))  # without perf
    host, home = LocalHost(), Home(tmp_path / "home")
    home.run.mkdir(parents=True)
    context = SimpleNamespace(host=host, options=SimpleNamespace(profiler=Profiler("6.1")))
    order, server = SimpleNamespace(longest_s=3600.0), SimpleNamespace(pid=os.getpid())
    executor = RunExecutor(cast("Any", context), cast("Any", None))
    with executor._recording(cast("Any", order), cast("Any", server)) as recording:
        assert recording is not None
        recording.start()
        (folder,) = private_root.iterdir()
        an_hour_ago = time.time() - 3600
        os.utime(folder, (an_hour_ago, an_hour_ago))
        assert remove_orphans(home, host, Session.own(home, host), private_root) == ()
        assert folder.exists()
    assert not folder.exists()
