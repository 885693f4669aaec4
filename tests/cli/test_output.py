"""Where results go: a reader that goes away, a full disk, names that are no text, a terminal that knows few signs."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import history_studies
from dbdyno.cli import main

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
    assert done.stderr.startswith(f"error: {os.strerror(errno.ENOSPC)}\nhint: ") and done.stderr.count("\n") == 2


@pytest.mark.parametrize("asked", [["--help"], ["compare", "--help"], ["--version"], []])
def test_help_that_does_not_fit_the_disk_is_no_success_and_no_defect(asked: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PROGRAM, *asked], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith(f"error: {os.strerror(errno.ENOSPC)}\nhint: ") and done.stderr.count("\n") == 2


@pytest.mark.parametrize("name", ["page.html", "page.md", "runs.svg"])
def test_a_report_into_a_pipe_that_nobody_reads_is_an_error_and_no_wait(night: Path, tmp_path: Path, name: str) -> None:
    series, pipe = tmp_path / "s.csv", tmp_path / name
    series.write_text("second,tps\n" + "".join(f"{second},100\n" for second in range(400)))
    os.mkfifo(pipe)
    command = ["judge", series, "--plot", pipe] if name.endswith("svg") else ["report", night, "-o", pipe]
    done = subprocess.run([*PROGRAM, *map(str, command)], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 2
    assert re.match(rf"error: {pipe} .*\n  .*\bnamed pipe\b", done.stderr)


def test_a_report_into_a_pipe_that_is_read_arrives_whole(night: Path, tmp_path: Path) -> None:
    pipe, copy = tmp_path / "page.md", tmp_path / "copy.md"
    os.mkfifo(pipe)
    with copy.open("wb") as file, subprocess.Popen(["cat", str(pipe)], stdout=file) as reader:
        descriptor = os.open(pipe, os.O_WRONLY)  # waits until the reader has opened it
        command = [*PROGRAM, "report", str(night), "--format", "md", "-o", str(pipe)]
        done = subprocess.run(command, capture_output=True, timeout=240, check=False)
        os.close(descriptor)
        reader.wait(60)
    assert done.returncode == 0
    assert copy.read_bytes().startswith(b"#") and copy.stat().st_size > 1000


def test_a_report_has_the_format_that_its_name_ends_in(night: Path, tmp_path: Path) -> None:
    for name, start in (("page.md", b"#"), ("page.html", b"<!doctype"), ("page", b"<!doctype")):
        assert main(["report", str(night), "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_bytes().startswith(start)


def test_a_removed_working_folder_is_named(night: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    program = f"import os, sys; os.rmdir({str(gone)!r}); from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "report", str(night), "--format", "md", "-o", "page.md"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, cwd=gone, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode in (2, 3)
    assert re.match(r"error: (page\.md|the working folder) ", done.stderr)


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
