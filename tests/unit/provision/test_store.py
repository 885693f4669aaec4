"""Installations are listed, checked file by file, found in a moved home, removed unless somebody uses them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from dbdyno.core import Home, HostError, ProvisionError, StudyError, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import (
    Installation,
    Origin,
    _store,
    check_installed,
    in_use,
    installed_engines,
    provision,
    remove_installed,
    select_installed,
)
from dbdyno.provision._store import installations, save
from error_codes import raises_code
from words_host import WordsHost, build, obtain, pack


@pytest.fixture
def installed(tmp_path: Path) -> Installation:
    archive = pack(build(tmp_path / "b", plugin="lib/plugin/ha_rocksdb.so"), tmp_path / "a.tar.gz")
    return obtain(f"mysql:8.0@archive:{archive}", WordsHost(), tmp_path)


def test_what_is_here_is_listed_with_what_it_takes(installed: Installation, tmp_path: Path) -> None:
    (kept,) = installed_engines(Home(tmp_path / "home"), WordsHost())
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
    kept = installed_engines(Home(tmp_path / "home"), WordsHost())
    if means:
        assert select_installed([parse_engine_name(name)], kept) == kept
    else:
        with raises_code(StudyError, "engine-missing") as caught:
            select_installed([parse_engine_name(name)], kept)
        assert "mysql 8.0.31" in caught.value.why


def test_a_check_names_each_file_that_is_not_as_it_was(installed: Installation, tmp_path: Path) -> None:
    host = WordsHost()
    (kept,) = installed_engines(Home(tmp_path / "home"), host)
    assert kept.has_checksums and check_installed(kept, host) == []
    (kept.folder / "share/english/errmsg.sys").write_text("other words")
    (kept.folder / "lib/plugin/ha_rocksdb.so").unlink()
    (kept.folder / "share/new file").touch()
    assert check_installed(kept, host) == [
        "lib/plugin/ha_rocksdb.so is missing",
        "share/english/errmsg.sys has changed",
        "share/new file was added",
    ]
    host.words = "mysqld  Ver 8.0.32 for Linux"
    assert re.findall(r"8\.0\.\d+", check_installed(kept, host)[-1]) == ["8.0.32", "8.0.31"]
    host.words = "error while loading shared libraries: libnuma.so.1"
    assert "libnuma" in check_installed(kept, host)[-1]


def test_an_engine_that_was_changed_is_not_measured(
    installed: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, home = WordsHost(), Home(tmp_path / "home")
    name = parse_engine_name("mysql:8.0.31@archive:" + installed.origin.location)
    read: list[Path] = []
    real = _store.sha256_of
    monkeypatch.setattr(_store, "sha256_of", lambda path: read.append(path) or real(path))
    assert provision(name, host, home) == installed
    assert {path.name for path in read} == {"files.sha256"}  # nothing has other times than when it was fetched
    server = installed.base_directory / "bin/mysqld"
    before = server.stat()
    server.touch()
    assert provision(name, host, home) == installed
    assert server in read
    content = bytearray(server.read_bytes())
    content[-1] ^= 1
    server.write_bytes(content)
    os.utime(server, ns=(before.st_atime_ns, before.st_mtime_ns))
    for _ in range(2):
        with raises_code(ProvisionError, "files-changed", "bin/mysqld") as error:
            provision(name, host, home)
        assert error.value.why == "bin/mysqld has changed"
        assert "dbdyno engines remove" in error.value.remedy


def linked(folder: Path) -> Path:
    """Adds to a build what libraries have: a link without a version, and a link to a folder."""
    (folder / "lib/private").mkdir(parents=True)
    for number in (1, 2):
        (folder / f"lib/private/libssl.so.{number}").write_text(str(number))
    (folder / "lib/private/libssl.so").symlink_to("libssl.so.1")
    (folder / "lib64").symlink_to("lib")
    return folder


def test_an_engine_whose_link_leads_elsewhere_is_not_measured(tmp_path: Path) -> None:
    """All files are as they were, yet the loader takes another one."""
    archive = pack(linked(build(tmp_path / "b")), tmp_path / "a.tar.gz")
    host, home = WordsHost(), Home(tmp_path / "home")
    name = parse_engine_name(f"mysql:8.0.31@archive:{archive}")
    folder = provision(name, host, home).base_directory
    assert provision(name, host, home).base_directory == folder
    link = folder / "lib/private/libssl.so"
    link.unlink()
    for target in ("libssl.so.2", "/tmp/other/libssl.so.1"):
        link.symlink_to(target)
        with pytest.raises(ProvisionError, match=f"libssl.so .*{target}, .*libssl.so.1"):
            provision(name, host, home)
        link.unlink()
    with raises_code(ProvisionError, "files-changed", "lib/private/libssl.so"):
        provision(name, host, home)
    link.symlink_to("libssl.so.1")
    (folder / "lib/libz.so").symlink_to("/tmp/libz.so")
    (kept,) = installed_engines(home, host)
    (added,) = check_installed(kept, host)
    assert "lib/libz.so" in added
    (folder / "lib/libz.so").unlink()
    (folder / "lib64").unlink()
    (folder / "lib64").symlink_to("/tmp")
    (moved,) = check_installed(kept, host)
    assert re.search(r"\blib64 .*/tmp, .*\blib$", moved)


def test_a_folder_that_earlier_versions_share_is_the_same_to_them(tmp_path: Path) -> None:
    """They hold each line of the list, and each further file, to be a file that must be as it was."""
    archive = pack(linked(build(tmp_path / "b")), tmp_path / "a.tar.gz")
    host, home = WordsHost(), Home(tmp_path / "home")
    name = parse_engine_name(f"mysql:8.0.31@archive:{archive}")
    folder = provision(name, host, home).base_directory
    listed = [line.partition("  ")[2] for line in (folder / "files.sha256").read_text().splitlines()]
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}
    assert set(listed) == files - {"files.sha256", "files.times", "installation.json"}
    times = folder / "files.times"
    text = times.read_text()
    times.write_text(text.splitlines()[0])  # as they write it
    provision(name, host, home)
    assert times.read_text() == text
    (folder / "lib64").unlink()
    with raises_code(ProvisionError, "files-changed", "lib64"):
        provision(name, host, home)


def test_the_list_is_one_that_sha256sum_reads(tmp_path: Path) -> None:
    archive = pack(linked(build(tmp_path / "b")), tmp_path / "a.tar.gz")
    folder = obtain(f"mysql:8.0.31@archive:{archive}", WordsHost(), tmp_path).base_directory
    subprocess.run(["sha256sum", "--strict", "--quiet", "--check", "files.sha256"], cwd=folder, check=True)


def test_an_engine_in_use_stays_and_goes_when_it_is_let_go(installed: Installation, tmp_path: Path) -> None:
    host, home = WordsHost(), Home(tmp_path / "home")
    (kept,) = installed_engines(home, host)
    with in_use(installed, home, host), in_use(installed, home, host):
        with raises_code(ProvisionError, "in-use", str(kept.folder)):
            remove_installed(kept, home, host)
        assert installed_engines(home, host) == [kept]
    remove_installed(kept, home, host)
    assert not kept.folder.exists() and installed_engines(home, host) == []
    with raises_code(ProvisionError, "engine-removed"), in_use(installed, home, host):
        pass


def test_what_a_broken_removal_leaves_is_no_engine(installed: Installation, tmp_path: Path) -> None:
    class Broken(WordsHost):
        def remove_tree(self, directory: Path) -> None:
            raise HostError("the disk is gone")

    home = Home(tmp_path / "home")
    (kept,) = installed_engines(home, WordsHost())
    with pytest.raises(HostError):
        remove_installed(kept, home, Broken())
    assert installed_engines(home, WordsHost()) == []
    assert obtain(f"mysql:8.0@archive:{tmp_path / 'a.tar.gz'}", WordsHost(), tmp_path) == installed


def test_a_base_directory_is_never_ours_to_hold_or_remove(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    found = obtain(f"mysql@basedir:{build(home.engines / 'mine')}", WordsHost(), tmp_path)
    with in_use(found, home, WordsHost()):
        assert installed_engines(home, WordsHost()) == []
    assert not home.locks.exists()


def test_a_source_without_its_place_is_looked_up_in_the_catalogue(tmp_path: Path) -> None:
    host = WordsHost()
    host.clients["mvn"] = str(pack(build(tmp_path / "b"), tmp_path / "a.tar.gz"))
    with raises_code(ProvisionError, "digest-mismatch"):  # the digest is known, too
        obtain("mysql:8.0@maven", host, tmp_path)
    with raises_code(StudyError, "source-incomplete"):
        obtain("mysql:8.4@maven", host, tmp_path)


def kept(home: Home, name: str, base: Path) -> Installation:
    folder = home.engines / name
    folder.mkdir(parents=True)
    loader = f"{base}/lib/ld.so"
    argv = (loader, "--library-path", f"{base}/lib:{home.root}/libraries/x", f"{base}/bin/mariadbd")
    installation = Installation(
        "mariadb",
        "11.8.6",
        "11.8.6",
        ("innodb",),
        Origin("package", "trixie"),
        server_argv=argv,
        base_directory=base / "usr",
        share_directory=base / "usr" / "share",
        plugin_directory=base / "usr" / "lib",
    )
    save(installation, folder, LocalHost())
    return installation


def test_paths_follow_a_home_that_was_moved(tmp_path: Path) -> None:
    old, new = Home(tmp_path / 'an "old" home'), Home(tmp_path / "new")
    kept(old, "package-mariadb", old.engines / "package-mariadb")
    old.root.rename(new.root)
    (found,) = installations(new, LocalHost())
    assert found.base_directory == new.engines / "package-mariadb" / "usr"
    assert found.server_argv[0] == f"{new.engines}/package-mariadb/lib/ld.so"
    assert str(old.root) not in " ".join(found.server_argv)
    assert f"{new.root}/libraries/x" in found.server_argv[2]


def test_a_base_directory_elsewhere_stays_where_it_is(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    own = kept(home, "basedir-mariadb", tmp_path / "build")
    assert installations(home, LocalHost()) == [own]


def test_engines_may_lie_behind_a_link(tmp_path: Path) -> None:
    """Such as on a larger disk, or in a home that others share."""
    elsewhere, home = Home(tmp_path / "elsewhere"), Home(tmp_path / "home")
    kept(elsewhere, "package-mariadb", elsewhere.engines / "package-mariadb")
    home.root.mkdir()
    home.engines.symlink_to(elsewhere.engines)
    (found,) = installations(home, LocalHost())
    assert found.base_directory == home.engines / "package-mariadb" / "usr"


def test_an_engine_in_use_on_another_host_is_told_whatever_words_its_lock_has(
    installed: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, home = WordsHost(), Home(tmp_path / "home")
    (kept,) = installed_engines(home, host)

    def held(path: Path, timeout_s: float) -> None:
        raise HostError(f"another process holds {path}", f"waited {timeout_s:g} s", code="in-use")

    monkeypatch.setattr(host, "lock", held)
    with raises_code(ProvisionError, "in-use", str(kept.folder)):
        remove_installed(kept, home, host)
    assert kept.folder.exists()
