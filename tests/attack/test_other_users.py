"""Another user plants what they like in the temporary folder: no study of ours waits for it, fails or removes it."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from dbdyno.configure import read_note
from dbdyno.core import HostError
from dbdyno.hosts import LocalHost, is_own_private_folder, own_private_folders, private_roots, read_own_text
from dbdyno.hosts import _private as private
from running_study import PROGRAM

pytestmark = [
    pytest.mark.attack,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user"),
]
OTHER = 4711  # neither root nor the user that servers run as
WAITED_S = 60


def as_other(act: Callable[[], object]) -> str:
    """What a function gives in a process of the other user."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reader)
            os.setgroups([])
            os.setresgid(OTHER, OTHER, OTHER)
            os.setresuid(OTHER, OTHER, OTHER)
            os.write(writer, str(act()).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        said = file.read().decode()
    assert os.waitpid(child, 0)[1] == 0
    return said


@pytest.fixture
def planted() -> Iterator[list[Path]]:
    """Names like root's own in /tmp, each of another kind; the other user's."""
    victim = Path(mkdtemp(prefix="victim-", dir="/tmp"))
    victim.chmod(0o755)
    (victim / "kept").write_text("must stay")
    names = [Path("/tmp") / f"dbdyno-0-{kind}{os.getpid()}" for kind in ("link", "pipe", "file", "tree", "owner")]
    link, pipe, file, tree, owner = names

    def plant() -> None:
        link.symlink_to(victim)
        os.mkfifo(pipe)
        file.write_text("x")
        (tree / "s").mkdir(parents=True)
        os.mkfifo(tree / "s" / "my.cnf")
        owner.mkdir()
        os.mkfifo(owner / "owner")
        for folder in (tree, owner):
            os.utime(folder, (1, 1))

    as_other(plant)
    yield [*names, victim / "kept"]
    for path in names:
        LocalHost().remove_tree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    LocalHost().remove_tree(victim)


def forged_server(folder: Path) -> subprocess.Popen[bytes]:
    """A process of the other user that bears a server's words and names files that nobody can read to the end."""
    place = folder / "run" / f"{os.getpid()}-2-abcdefgh" / "s1"

    def plant() -> None:
        place.mkdir(parents=True)
        os.mkfifo(place / "my.cnf")
        os.mkfifo(place / "server.json")

    as_other(plant)
    words = [f"--defaults-file={place}/my.cnf", "60"]
    return subprocess.Popen(
        ["/bin/sh", "-c", "sleep 60", *words], user=OTHER, group=OTHER, extra_groups=[], start_new_session=True
    )


def clean(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "DBDYNO_HOME": str(home)}
    command = [*PROGRAM, "clean", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=WAITED_S, check=False, env=environ)


def test_what_others_plant_is_neither_waited_for_nor_removed(planted: list[Path], tmp_path: Path) -> None:
    theirs = Path(mkdtemp(prefix="theirs-", dir="/tmp"))
    theirs.chmod(0o777)
    process = forged_server(theirs)
    own = private.make_private_folder(LocalHost(), 0o700)
    os.utime(own, (1, 1))
    try:
        done = clean(tmp_path)
        assert done.returncode == 0, done.stderr
        removed = clean(tmp_path, "--remove")
        assert removed.returncode == 0, removed.stderr
        assert process.poll() is None
        assert not own.exists()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        LocalHost().remove_tree(theirs)
    assert all(os.path.lexists(path) for path in planted)


def test_only_own_folders_and_files_are_looked_into(planted: list[Path], tmp_path: Path) -> None:
    own = LocalHost().make_private_directory()
    try:
        found = own_private_folders(LocalHost())
        assert own in found
        assert not set(planted) & set(found)
        assert not any(is_own_private_folder(path, LocalHost()) for path in planted)
        for path in (*planted[:3], planted[3] / "s" / "my.cnf", planted[4] / "owner"):
            assert read_own_text(path, LocalHost()) is None
        (tmp_path / "own").write_text("1")
        (tmp_path / "link").symlink_to(tmp_path / "own")
        assert read_own_text(tmp_path / "own", LocalHost()) == "1"
        assert read_own_text(tmp_path / "link", LocalHost()) is None
        os.mkfifo(tmp_path / "server.json")
        assert read_note(tmp_path, LocalHost()) is None
    finally:
        LocalHost().remove_tree(own)


@pytest.mark.parametrize(
    ("kind", "is_used"), [("own", True), ("open", False), ("root's", False), ("link", False), ("long", False)]
)
def test_the_runtime_folder_is_used_if_it_is_closed_and_ones_own(kind: str, is_used: bool) -> None:
    place = Path(mkdtemp(prefix="runtime-", dir="/tmp"))
    place.chmod(0o755)
    folder = place / ("x" * 90 if kind == "long" else "user")
    folder.mkdir(mode=0o755 if kind == "open" else 0o700)
    if kind != "root's":
        os.chown(folder, OTHER, OTHER)
    if kind == "link":
        (place / "link").symlink_to(folder)
        folder = place / "link"

    def made() -> Path:
        path = LocalHost().make_private_directory()
        assert path.stat().st_mode & 0o777 == 0o700
        assert len(f"{path}/s/s.sock") <= 107
        assert own_private_folders(LocalHost()) == [path]
        path.rmdir()
        return path

    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    try:
        assert as_other(made).startswith(f"{folder}/dbdyno-{OTHER}-" if is_used else f"/tmp/dbdyno-{OTHER}-")
        # Servers of root run as another user, who can't enter.
        assert private_roots(LocalHost()) == (Path("/tmp"),)
    finally:
        del os.environ["XDG_RUNTIME_DIR"]
        LocalHost().remove_tree(place)


def test_a_full_temporary_folder_is_named(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=3", "none", full]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        with pytest.raises(HostError, match=str(full)):
            LocalHost().write_private(full / "password", "x" * 100_000)
        for name in "ab":
            (full / name).touch()
        with pytest.raises(HostError) as error:
            private.make_private_folder(LocalHost(), 0o700, [full])
        assert f"{full}: {os.strerror(errno.ENOSPC)}" in error.value.why
    finally:
        subprocess.run(["umount", full], check=True)
