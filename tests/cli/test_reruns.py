"""Tests that are run once more: they look at something new, unless it is the whole session's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import reruns

_FILE = """
import itertools
import pytest

_COUNTS = {scope: itertools.count(1) for scope in ("function", "module", "session")}

@pytest.fixture
def own(): return next(_COUNTS["function"])

@pytest.fixture(scope="module")
def scene(): yield next(_COUNTS["module"])

@pytest.fixture(scope="module")
def seen(scene): return scene

@pytest.fixture(scope="session")
def home(): return next(_COUNTS["session"])

def test_first(scene): assert scene == 1

@pytest.mark.flaky(reruns=1)
def test_second(own, seen, home): assert (own, seen, home) == (2, 2, 1)

def test_third(seen): assert seen == 2
"""


def test_what_a_file_shares_is_made_anew_for_a_repetition(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from reruns import pytest_runtest_setup, pytest_terminal_summary\n")
    (tmp_path / "test_file.py").write_text(_FILE)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-raR", "-p", "no:xdist", "-p", "no:cacheprovider", str(tmp_path)],
        env={"PYTHONPATH": str(Path(reruns.__file__).parent)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "3 passed, 1 rerun" in run.stdout
    assert "RERUN test_file.py::test_second" in run.stdout
    assert re.search(
        r"^REASON test_file.py::test_second \(test_file.py:\d+\): assert \(1, 1, 1\) == \(2, 2, 1\)", run.stdout, re.M
    )
