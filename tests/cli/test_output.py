"""Where results go: a reader that goes away, a full disk, names that are no text, a terminal that knows few signs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import history_studies

PROGRAM = [sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))"]


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("output") / "night"
    return history_studies.write_night(folder, 0, lambda run: 100.0).path


def test_a_reader_that_goes_away_ends_the_program_quietly_as_sigpipe_would(night: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*PROGRAM, "diff", str(night), str(night), "--match", "mariadb:11.8=mysql:9.7"]
    try:
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_no_defect(night: Path, closed: str) -> None:
    command = f'"$@" {closed}'
    show = subprocess.run(["sh", "-c", command, "sh", *PROGRAM, "show", night], capture_output=True, check=False)
    assert (show.returncode, show.stderr) == (0, b"")
    wrong = subprocess.run(["sh", "-c", command, "sh", *PROGRAM, "show", "/nil"], capture_output=True, check=False)
    assert wrong.returncode == 2
    assert b"Traceback" not in wrong.stderr


def test_an_error_that_nobody_reads_is_no_success() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, "show", "/nil"], stdout=subprocess.PIPE, stderr=writer, check=False)
    os.close(writer)
    assert done.returncode not in (0, 1, 120)


def test_a_full_disk_is_the_worlds_fault(night: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, "show", str(night)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 3
    assert done.stderr == "error: No space left on device\nhint: free space and try again\n"


def test_signs_that_the_terminal_does_not_know_stop_nothing(night: Path) -> None:
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*PROGRAM, "judge", "-"], input=b"run,second,tps\na,1,5\n", capture_output=True, env=environ)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u2588" in done.stdout


def test_a_folder_whose_name_is_no_text_is_printed_as_it_is(night: Path, tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/caf\xe9.md"
    command = [*map(os.fsencode, [*PROGRAM, "report", night, "--format", "md", "-o"]), odd]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == odd + b"\n"
