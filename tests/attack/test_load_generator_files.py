"""Files that a user names to the load generator: one without an end, or too large, is refused at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dbdyno.lab import find_generator
from load_commands import RESIDENT_KIB, Ended, start_argv

pytestmark = pytest.mark.attack

LIMIT_S = 20.0
SCRIPT_MEMORY_BYTES = 3 << 30  # address space only: states and stacks of a script reserve much of it
NATIVE = ("--host", "127.0.0.1", "--port", "1", "--time", "1s")


def device(_: Path) -> Path:
    return Path("/dev/zero")


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def large(folder: Path) -> Path:
    """Larger than what is taken of a file; it has holes only, so it needs no room."""
    with (folder / "large").open("wb") as file:
        file.truncate(300 << 20)
    return folder / "large"


KINDS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a device": (device, "it is a device"),
    "a pipe": (pipe, "it is a named pipe, which could block forever"),
    "a large file": (large, "it holds more than "),
}


def sql_folder(file: Path, folder: Path) -> Path:
    (folder / "workload.toml").symlink_to(file)
    return folder


ARGUMENTS: dict[str, Callable[[Path, Path], tuple[str, ...]]] = {
    "distributions": lambda file, _: ("run", "linkbench", "--data-file", str(file), *NATIVE),
    "SQL files": lambda file, folder: ("run", f"sql:{sql_folder(file, folder)}", *NATIVE),
    "a password": lambda file, _: ("run", "sysbench/oltp_read_only", "--password-file", str(file), *NATIVE),
    "an order": lambda file, _: ("run", "--order", str(file)),
    "an order to populate": lambda file, _: ("populate", "--order", str(file)),
    "options": lambda file, _: ("sysbench", f"--config-file={file}", "oltp_read_only", "help"),
    "a script": lambda file, _: ("sysbench", str(file), "help"),
    "the record of a share": lambda file, _: ("merge", str(file)),
}


def program(arguments: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The command line; sysbench's form goes by the name under which the program is called."""
    if arguments[0] != "sysbench":
        return (str(find_generator()), *arguments)
    (folder / "sysbench").symlink_to(find_generator())
    return (str(folder / "sysbench"), *arguments[1:])


def ended(argv: tuple[str, ...]) -> Ended:
    return start_argv(argv, memory_bytes=SCRIPT_MEMORY_BYTES).wait(LIMIT_S)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("use", ARGUMENTS)
def test_what_may_never_end_is_refused_wherever_a_file_is_named(use: str, kind: str, tmp_path: Path) -> None:
    make, words = KINDS[kind]
    if (use, kind) == ("the record of a share", "a large file"):
        words = "the line is longer than 64 MiB"  # a record is read line by line, and may be long
    end = ended(program(ARGUMENTS[use](make(tmp_path), tmp_path), tmp_path))
    assert words in end.said and end.resident_kib < RESIDENT_KIB
    assert end.returncode == (0 if use == "options" else 1 if use == "a script" else 2)


@pytest.mark.parametrize("arguments", [("run", "--order", "-"), ("sysbench", "-", "help")])
def test_standard_input_without_an_end_is_left(arguments: tuple[str, ...], tmp_path: Path) -> None:
    end = ended(("sh", "-c", 'yes "        " | DBDYNO_INPUT_LIMIT=16777216 "$0" "$@"', *program(arguments, tmp_path)))
    assert "16 MiB" in end.said and "DBDYNO_INPUT_LIMIT=33554432" in end.said
    assert end.returncode in (1, 2)


@pytest.mark.parametrize(("mode", "is_warned"), [(0o644, True), (0o602, True), (0o640, False), (0o600, False)])
def test_a_password_file_that_all_can_read_or_change_is_told(mode: int, is_warned: bool, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("s3")
    file.chmod(mode)
    said = ended(program(("run", "sysbench/oltp_read_only", "--password-file", str(file), *NATIVE), tmp_path)).said
    assert (f"{file}; chmod 600" in said) is is_warned
    assert "s3" not in said.replace(str(file), "")
