"""Archives that are what they should be, broken ones, and such as want to write elsewhere."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from dbdyno.core import ProvisionError
from dbdyno.provision._archive import unpack

ELF = b"\x7fELF" + b"\0" * 60


def _file(name: str, content: bytes = b"x", mode: int = 0o600) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), mode
    return info, content


def _link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


def _tar(path: Path, *members: tuple[tarfile.TarInfo, bytes], kind: str = "gz") -> Path:
    with tarfile.open(path, f"w:{kind}") as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content) if content else None)
    return path


@pytest.mark.parametrize("kind", ["gz", "xz", "bz2", ""])
def test_a_tar_of_any_compression_gives_its_files_readable_and_its_programs_runnable(tmp_path: Path, kind: str) -> None:
    server, note = _file("top/bin/mysqld", ELF), _file("top/share/note", b"words")
    archive = _tar(tmp_path / f"a.tar.{kind}", server, note, kind=kind)
    unpack(archive, tmp_path / "out")
    assert (tmp_path / "out/top/bin/mysqld").read_bytes() == ELF
    assert stat.S_IMODE((tmp_path / "out/top/bin/mysqld").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "out/top/share/note").stat().st_mode) == 0o644


def test_a_jar_without_modes_gives_programs_that_can_be_run(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.jar", "w") as archive:
        archive.writestr("bin/mysqld", ELF)
        archive.writestr("bin/install", "#!/bin/sh\n")
        archive.writestr("share/empty", "")
        link = zipfile.ZipInfo("bin/mariadbd")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "mysqld")
    unpack(tmp_path / "a.jar", tmp_path / "out")
    assert os.access(tmp_path / "out/bin/mysqld", os.X_OK) and os.access(tmp_path / "out/bin/install", os.X_OK)
    assert (tmp_path / "out/bin/mariadbd").readlink() == Path("mysqld")


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a/../../evil"])
def test_an_entry_that_leads_out_is_refused_in_tar_and_in_zip(tmp_path: Path, name: str) -> None:
    tar = _tar(tmp_path / "a.tar.gz", _file(name))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, "x")
    for made in (tar, tmp_path / "a.zip"):
        with pytest.raises(ProvisionError, match="is refused"):
            unpack(made, tmp_path / "deep" / "out")
    assert not list(tmp_path.rglob("evil")) and not Path("/tmp/evil").exists()


def test_nothing_is_written_through_a_link_and_no_link_out_is_left(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    through = _tar(tmp_path / "a.tar.gz", _link("door", str(outside)), _file("door/evil"))
    with pytest.raises(ProvisionError, match="leads out"):
        unpack(through, tmp_path / "one")
    late = _tar(tmp_path / "b.tar.gz", _link("a", "b/../x"), _link("b", "."), _file("good"), _link("in", "good"))
    unpack(late, tmp_path / "two")
    assert sorted(p.name for p in (tmp_path / "two").iterdir()) == ["b", "good", "in"]
    assert not list(outside.iterdir())


def test_a_file_takes_the_place_of_a_link_of_its_name(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    unpack(_tar(tmp_path / "a.tar.gz", _link("x", str(victim)), _file("x", b"theirs")), tmp_path / "out")
    assert victim.read_text() == "mine" and (tmp_path / "out/x").read_text() == "theirs"


def test_a_hard_link_out_and_a_device_are_refused(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    for member in (_link("x", "../victim", tarfile.LNKTYPE), _link("x", "", tarfile.CHRTYPE)):
        with pytest.raises(ProvisionError, match="is refused"):
            unpack(_tar(tmp_path / "a.tar.gz", member), tmp_path / "out")


def test_suites_of_tests_are_left_out(tmp_path: Path) -> None:
    unpack(_tar(tmp_path / "a.tar.gz", _file("top/mysql-test/t/a.test"), _file("top/README")), tmp_path / "out")
    assert [p.name for p in (tmp_path / "out/top").iterdir()] == ["README"]


def test_what_is_cut_short_or_no_archive_is_an_error_that_says_so(tmp_path: Path) -> None:
    whole = _tar(tmp_path / "a.tar.gz", _file("big", os.urandom(1 << 16))).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.zip").write_text("no archive")
    with pytest.raises(ProvisionError, match="can't be unpacked"):
        unpack(tmp_path / "cut.tar.gz", tmp_path / "out")
    with pytest.raises(ProvisionError, match="is not an archive"):
        unpack(tmp_path / "text.zip", tmp_path / "out")
