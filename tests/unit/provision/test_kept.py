"""Engines that are here: listed, checked file by file, removed by name unless somebody uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.core import HostError, ProvisionError, StudyError, parse_engine_name
from dbdyno.hosts import Home
from dbdyno.provision import Installation, check_kept, choose_kept, in_use, kept_engines, remove_kept
from words_host import WordsHost, build, obtain, pack


@pytest.fixture
def installed(tmp_path: Path) -> Installation:
    archive = pack(build(tmp_path / "b", plugin="lib/plugin/ha_rocksdb.so"), tmp_path / "a.tar.gz")
    return obtain(f"mysql:8.0@archive:{archive}", WordsHost(), tmp_path)


def test_what_is_here_is_listed_with_what_it_takes(installed: Installation, tmp_path: Path) -> None:
    (kept,) = kept_engines(Home(tmp_path / "home"), WordsHost())
    assert kept.installation == installed
    assert kept.folder == installed.base_directory
    assert kept.disk_bytes >= (installed.base_directory / "bin/mysqld").stat().st_size


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("mysql:8", True),
        ("mysql:8.0@archive", True),
        ("mysql:8.0.31+rocksdb", True),
        ("mysql:8.1", False),
        ("mysql:8@maven", False),
        ("mysql@archive:/elsewhere.tar.gz", False),
        ("mariadb:8.0", False),
    ],
)
def test_a_name_means_what_its_parts_say(name: str, means: bool, installed: Installation, tmp_path: Path) -> None:
    kept = kept_engines(Home(tmp_path / "home"), WordsHost())
    if means:
        assert choose_kept([parse_engine_name(name)], kept) == kept
    else:
        with pytest.raises(StudyError, match="is not on this machine") as caught:
            choose_kept([parse_engine_name(name)], kept)
        assert "mysql 8.0.31" in caught.value.why


def test_a_check_names_each_file_that_is_not_as_it_was(installed: Installation, tmp_path: Path) -> None:
    host = WordsHost()
    (kept,) = kept_engines(Home(tmp_path / "home"), host)
    assert kept.is_sealed and check_kept(kept, host) == []
    (kept.folder / "share/english/errmsg.sys").write_text("other words")
    (kept.folder / "lib/plugin/ha_rocksdb.so").unlink()
    (kept.folder / "share/new file").touch()
    assert check_kept(kept, host) == [
        "lib/plugin/ha_rocksdb.so is missing",
        "share/english/errmsg.sys has changed",
        "share/new file was added",
    ]
    host.words = "mysqld  Ver 8.0.32 for Linux"
    assert check_kept(kept, host)[-1] == "its server says 8.0.32, it was 8.0.31"
    host.words = "error while loading shared libraries: libnuma.so.1"
    assert "libnuma" in check_kept(kept, host)[-1]


def test_an_engine_in_use_stays_and_goes_when_it_is_let_go(installed: Installation, tmp_path: Path) -> None:
    host, home = WordsHost(), Home(tmp_path / "home")
    (kept,) = kept_engines(home, host)
    with in_use(installed, home, host), in_use(installed, home, host):
        with pytest.raises(ProvisionError, match="is in use"):
            remove_kept(kept, home, host)
        assert kept_engines(home, host) == [kept]
    remove_kept(kept, home, host)
    assert not kept.folder.exists() and kept_engines(home, host) == []
    with pytest.raises(ProvisionError, match="removed meanwhile"), in_use(installed, home, host):
        pass


def test_what_a_broken_removal_leaves_is_no_engine(installed: Installation, tmp_path: Path) -> None:
    class Broken(WordsHost):
        def remove_tree(self, directory: Path) -> None:
            raise HostError("the disk is gone")

    home = Home(tmp_path / "home")
    (kept,) = kept_engines(home, WordsHost())
    with pytest.raises(HostError):
        remove_kept(kept, home, Broken())
    assert kept_engines(home, WordsHost()) == []
    assert obtain(f"mysql:8.0@archive:{tmp_path / 'a.tar.gz'}", WordsHost(), tmp_path) == installed


def test_a_base_directory_is_never_ours_to_hold_or_remove(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    found = obtain(f"mysql@basedir:{build(home.engines / 'mine')}", WordsHost(), tmp_path)
    with in_use(found, home, WordsHost()):
        assert kept_engines(home, WordsHost()) == []
    assert not home.locks.exists()


def test_a_source_without_its_place_is_looked_up_in_the_catalogue(tmp_path: Path) -> None:
    host = WordsHost()
    host.clients["mvn"] = str(pack(build(tmp_path / "b"), tmp_path / "a.tar.gz"))
    with pytest.raises(ProvisionError, match="is not the file that was meant"):  # the digest is known, too
        obtain("mysql:8.0@maven", host, tmp_path)
    with pytest.raises(StudyError, match="does not say which"):
        obtain("mysql:8.4@maven", host, tmp_path)
