"""Tests that failed among others are run once more alone, and only what passes then is no failure."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import reruns

_FILE = """
import os
import pytest

AMONG_OTHERS = "PYTEST_XDIST_WORKER" in os.environ

@pytest.fixture(scope="module")
def scene(): assert not AMONG_OTHERS

def test_passes(): pass

def test_disturbed(): assert not AMONG_OTHERS, "kept from its processor"

def test_has_a_disturbed_scene(scene): pass
"""


def _run(folder: Path, tests: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text("from reruns import pytest_runtestloop, pytest_terminal_summary\n")
    (folder / "test_file.py").write_text(tests)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "."],
        env={"PYTHONPATH": str(Path(reruns.__file__).parent)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_passes_alone_is_counted_as_passed_and_as_rerun(tmp_path: Path) -> None:
    run = _run(tmp_path, _FILE, "-n", "2")
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"^3 passed, 2 rerun", run.stdout.splitlines()[-1])
    assert re.search(r"^REASON test_file.py::test_disturbed \(test_file.py:\d+\): .*kept from", run.stdout, re.M)
    assert re.search(r"^REASON test_file.py::test_has_a_disturbed_scene", run.stdout, re.M)


def test_only_those_that_failed_run_again_if_they_need_no_others(tmp_path: Path) -> None:
    run = _run(tmp_path, _FILE, "-n", "2")
    (words,) = re.findall(r"^alone, once more: (.*)$", run.stdout, re.M)
    assert sorted(words.split()) == ["test_file.py::test_disturbed", "test_file.py::test_has_a_disturbed_scene"]


def test_a_test_that_goes_on_from_another_runs_again_with_its_file(tmp_path: Path) -> None:
    tests = "\ndef test_first(): os.environ['FIRST'] = ''\n"
    tests += "\ndef test_second(): assert not AMONG_OTHERS and 'FIRST' in os.environ\n"
    run = _run(tmp_path, _FILE + tests, "-n", "2")
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.findall(r"^alone, once more: (.*)$", run.stdout, re.M)[1:] == ["test_file.py"]


def test_what_fails_alone_fails(tmp_path: Path) -> None:
    run = _run(tmp_path, _FILE + "\ndef test_wrong(): assert AMONG_OTHERS is None\n", "-n", "2")
    assert run.returncode == 1
    assert re.search(r"^2 failed, 1 passed, 1 error", run.stdout.splitlines()[-1])


def test_many_causes_are_no_disturbance(tmp_path: Path) -> None:
    many = f"@pytest.mark.parametrize('n', range({reruns.MOST_CAUSES}))\ndef test_many(n): assert not AMONG_OTHERS, n\n"
    run = _run(tmp_path, _FILE + many, "-n", "2")
    assert run.returncode == 1
    assert "alone, once more" not in run.stdout


def test_many_that_one_cause_disturbed_run_again(tmp_path: Path) -> None:
    many = f"@pytest.mark.parametrize('n', range({reruns.MOST_CAUSES}))\ndef test_many(scene, n): pass\n"
    run = _run(tmp_path, _FILE + many, "-n", "2")
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(rf"^{3 + reruns.MOST_CAUSES} passed", run.stdout.splitlines()[-1])


def test_a_file_that_can_not_be_read_is_no_disturbance(tmp_path: Path) -> None:
    run = _run(tmp_path, _FILE + "\nif AMONG_OTHERS: raise ValueError\n", "-n", "2")
    assert run.returncode != 0
    assert "alone, once more" not in run.stdout
