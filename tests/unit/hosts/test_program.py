"""The agent's program reaches a host once, also when several labs push it at once; ssh is a script here."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dbdyno.core import HostError, RequestError
from dbdyno.hosts.remote import _program
from dbdyno.hosts.remote._program import place_program
from dbdyno.hosts.remote._ssh import run_script, ssh_command
from dbdyno.lab import find_generator
from error_codes import raises_code

_MACHINES = {"x86_64": 62, "aarch64": 183}
_FAKE_SSH = """\
#!/bin/sh
while [ "$1" != "--" ]; do shift; done
shift 2
exec sh -c "$*"
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    ssh = tmp_path / "ssh"
    ssh.write_text(_FAKE_SSH)
    ssh.chmod(0o755)
    monkeypatch.setenv("DBDYNO_SSH", str(ssh))
    machine = _MACHINES[os.uname().machine].to_bytes(2, "little")
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF".ljust(18, b"\0") + machine + os.urandom(3_000_000))
    return program


def placed(program: Path, home: Path) -> Path:
    return home / f"agent-{hashlib.sha256(program.read_bytes()).hexdigest()}"


@pytest.mark.parametrize("part_bytes", [0, 1_000_000])
def test_labs_that_reach_a_new_host_at_once_all_find_the_program(
    program: Path, tmp_path: Path, part_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, looked = tmp_path / "home", threading.Barrier(3, timeout=30)

    def together(destination: str, script: str, words: list[str], *, stdin: bytes = b"", timeout_s: float) -> str:
        answer = run_script(destination, script, words, stdin=stdin, timeout_s=timeout_s)
        if script == _program._LOOK:
            looked.wait()
        return answer

    monkeypatch.setattr(_program, "run_script", together)
    home.mkdir()
    target = placed(program, home)
    if part_bytes:
        Path(f"{target}.part").write_bytes(program.read_bytes()[:part_bytes])
    with ThreadPoolExecutor(3) as pool:
        programs = list(pool.map(lambda _: place_program("db1", program, str(home)), range(3)))
    assert {remote.path for remote in programs} == {str(target)}
    assert target.read_bytes() == program.read_bytes()
    assert sorted(path.name for path in home.iterdir()) == [target.name, "locks"]


def test_a_push_begins_anew_where_the_part_has_gone_since(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    target = placed(program, home)
    part = Path(f"{target}.part")
    part.write_bytes(program.read_bytes()[:1000])

    def another_fails(destination: str, script: str, words: list[str], *, stdin: bytes = b"", timeout_s: float) -> str:
        answer = run_script(destination, script, words, stdin=stdin, timeout_s=timeout_s)
        if script == _program._LOOK:
            part.unlink()
        return answer

    monkeypatch.setattr(_program, "run_script", another_fails)
    assert place_program("db1", program, str(home)).pushed_bytes == len(program.read_bytes())
    assert target.read_bytes() == program.read_bytes()


def test_what_arrived_damaged_is_refused_and_removed(program: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (tmp_path / "ssh").write_text(_FAKE_SSH.replace("exec sh", "{ cat; echo z; } | sh"))
    with raises_code(HostError, "command-failed", "db1", "exit code 1"):
        place_program("db1", program, str(home))
    assert list(home.glob("agent-*")) == []


def test_a_command_for_ssh_with_an_open_quote_is_a_wrong_request() -> None:
    with pytest.raises(RequestError, match="DBDYNO_SSH") as error:
        ssh_command("db1", environ={"DBDYNO_SSH": "ssh -F 'x"})
    assert "quotation" in error.value.why and "quotes" in error.value.remedy


@pytest.mark.parametrize(
    ("shell", "code", "text"),
    [
        ("echo 'rbash: line 1: exec: restricted' >&2; exit 1", "restricted-shell", "chsh -s /bin/sh"),
        ("echo 'This account is currently not available.'; exit 1", "command-failed", "account is currently not"),
        ("echo 'Welcome to the build farm'", "", "plain shell without a forced command"),
        ("echo 'Cannot execute command-line and remote command.' >&2; exit 255", "unreachable", "has RemoteCommand"),
    ],
)
def test_why_a_login_runs_no_commands_is_said_in_its_own_words(
    shell: str, code: str, text: str, program: Path, tmp_path: Path
) -> None:
    (tmp_path / "ssh").write_text(f"#!/bin/sh\n{shell}\n")
    with pytest.raises(HostError) as failed:
        place_program("bench@db1", program, str(tmp_path / "home"))
    assert failed.value.code == code
    assert text in " ".join((str(failed.value), failed.value.remedy))


@pytest.mark.parametrize("part_bytes", [1_000_000, 4_000_000])
def test_a_part_that_is_of_another_content_is_sent_anew(part_bytes: int, program: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    Path(f"{placed(program, home)}.part").write_bytes(os.urandom(part_bytes))
    placed_program = place_program("bench@db1", program, str(home))
    assert placed(program, home).read_bytes() == program.read_bytes()
    assert placed_program.pushed_bytes == program.stat().st_size


def test_a_home_that_is_a_file_is_named_with_what_helps(program: Path, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with raises_code(HostError, "not-a-folder", "--home"):
        place_program("bench@db1", program, str(tmp_path / "home"))


def _needed_minor(program: Path) -> int:
    """Return the least minor version of glibc 2 that the symbols of a program ask for, as binutils read them."""
    symbols = subprocess.run(["objdump", "-T", program], capture_output=True, text=True, check=True).stdout
    return max(int(minor) for minor in re.findall(r"\bGLIBC_2\.(\d+)", symbols))


@pytest.mark.parametrize("too_old", [True, False])
def test_a_host_whose_glibc_is_too_old_for_the_built_program_is_refused_by_both_versions(
    too_old: bool, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, home = find_generator(), tmp_path / "home"
    needed = _needed_minor(built)
    _answer_as_host(tmp_path, monkeypatch, getconf=f"glibc 2.{needed - 1 if too_old else needed}")
    if not too_old:
        placed_program = place_program("db1", built, str(home))
        assert (placed_program.needs_libc, placed_program.libc) == (needed, f"glibc 2.{needed}")
        return
    with raises_code(HostError, "glibc-too-old", "db1", f"glibc 2.{needed},", f"glibc 2.{needed - 1}"):
        place_program("db1", built, str(home))
    assert list(home.iterdir()) == [], "nothing was pushed"


def test_a_host_of_another_architecture_is_refused_by_both(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _answer_as_host(tmp_path, monkeypatch, uname="riscv64")
    with raises_code(HostError, "other-architecture", os.uname().machine, "riscv64"):
        place_program("db1", find_generator(), str(tmp_path / "home"))


def _answer_as_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **answers: str) -> None:
    """Have commands of the host answer so; all others are this machine's."""
    commands = tmp_path / "commands"
    commands.mkdir()
    for name, answer in answers.items():
        (commands / name).write_text(f"#!/bin/sh\necho '{answer}'\n")
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
