"""Engines from archives and base directories: a program of this machine stands for the server, its words are given."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from dbdyno.core import ProvisionError, StudyError, parse_engine_name
from dbdyno.hosts import Home
from dbdyno.provision import provision, sources
from dbdyno.provision._base_directory import find_base, library_path
from dbdyno.provision._fetch import ArchiveFetcher
from words_host import WordsHost, build, obtain, pack


@pytest.mark.parametrize(
    ("server", "share", "plugin"),
    [
        ("bin/mysqld", "share", "lib/plugin/ha_rocksdb.so"),
        ("libexec/mysqld", "share/mysql", "lib/mysql/plugin/ha_rocksdb.so"),
        ("sbin/mariadbd", "share/mariadb", "lib/x86_64-linux-gnu/mariadb19/plugin/ha_rocksdb.so"),
        ("mysqld", "share", "plugin/ha_rocksdb.so"),
    ],
)
def test_a_base_directory_of_any_layout_is_found_with_its_parts(
    server: str, share: str, plugin: str, tmp_path: Path
) -> None:
    top = build(tmp_path / "some/deep/top", server, share, plugin)
    build(tmp_path / "mysql-test", "no/program", "std_data")
    found = find_base(tmp_path)
    assert found is not None
    assert (found.directory, found.server, found.share_directory) == (top, top / server, top / share)
    assert found.plugin_directory / found.plugin_files["rocksdb"] == top / plugin


def test_a_server_for_another_machine_is_named(tmp_path: Path) -> None:
    server = build(tmp_path) / "bin/mysqld"
    content = bytearray(server.read_bytes())
    content[4] = 1  # 32 bits
    server.write_bytes(content)
    with pytest.raises(ProvisionError, match="another machine"):
        find_base(tmp_path)


def test_a_base_directory_is_used_where_it_lies_and_not_changed(tmp_path: Path) -> None:
    top = build(tmp_path / "built", plugin="lib/plugin/ha_rocksdb.so")
    before = {path: path.stat().st_mtime_ns for path in top.rglob("*")}
    host = WordsHost("mariadbd  Ver 11.8.6-MariaDB for Linux on x86_64 (Source distribution)")
    found = obtain(f"mariadb:11.8+rocksdb@basedir:{top}", host, tmp_path)
    assert (found.version, found.storage_engines) == ("11.8.6", ("innodb", "rocksdb"))
    assert found.server_argv == (str(top / "bin/mysqld"),)
    assert found.origin.packages[0].sha256 == hashlib.sha256((top / "bin/mysqld").read_bytes()).hexdigest()
    assert {path: path.stat().st_mtime_ns for path in top.rglob("*")} == before
    assert obtain(f"mariadb@basedir:{top}", host, tmp_path).version == "11.8.6"
    for asked, said in (("mysql:8.0", "is not mysql 8.0"), ("mariadb:10.6", "is not mariadb 10.6")):
        with pytest.raises(StudyError, match=said) as caught:
            obtain(f"{asked}@basedir:{top}", host, tmp_path)
        assert f"mariadb:11.8.6@basedir:{top}" in caught.value.remedy


def test_a_storage_engine_without_its_plug_in_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no storage engine rocksdb"):
        obtain(
            f"percona:8.0+rocksdb@basedir:{build(tmp_path / 'b')}", WordsHost("Ver 8.0.4 (Percona Server)"), tmp_path
        )


def test_an_archive_in_an_archive_is_found_and_those_of_other_systems_are_not_unpacked(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    pack(build(tmp_path / "linux"), inner / "mysql-Linux-amd64.tar.gz")
    (inner / "mysql-Mac_OS_X-x86_64.tar.gz").write_text("not even an archive")
    found = obtain(f"mysql:8.0@archive:{pack(inner, tmp_path / 'outer.tar.gz')}", WordsHost(), tmp_path)
    assert Path(found.server_argv[0]).is_file()
    assert [p.name for p in (tmp_path / "home/engines").iterdir()] == [found.base_directory.name]
    assert not list(found.base_directory.glob("*.tar.gz"))


def test_an_archive_is_unpacked_once_and_again_when_its_content_changes(tmp_path: Path) -> None:
    archive = pack(build(tmp_path / "b"), tmp_path / "a.tar.gz", "mysql-8.0.31")
    name, host, said = f"mysql:8.0@archive:{archive}", WordsHost(), list[str]()
    home = Home(tmp_path / "home")
    first = provision(parse_engine_name(name), host, home, progress=said.append)
    assert said == [f"unpack a.tar.gz, {said[0].partition(', ')[2]}"]
    assert provision(parse_engine_name(name), host, home, progress=said.append) == first and len(said) == 1
    assert [(o.version, o.location) for o in sources()["archive"].offers(host, home)] == [("8.0.31", str(archive))]
    (tmp_path / "b/share/more").write_text("another build")
    pack(tmp_path / "b", archive, "mysql-8.0.31")
    host.words = "mysqld  Ver 8.0.33 for Linux"
    assert obtain(name, host, tmp_path).version == "8.0.33"
    archive.unlink()
    digest = first.origin.packages[0].sha256
    assert obtain(f"{name}#sha256={digest}", host, tmp_path) == first


def test_a_file_with_another_digest_is_refused_and_nothing_of_it_stays(tmp_path: Path) -> None:
    archive = pack(build(tmp_path / "b"), tmp_path / "a.tar.gz")
    with pytest.raises(ProvisionError, match="is not the file that was meant") as caught:
        obtain(f"mysql:8.0@archive:{archive}#sha256={'0' * 64}", WordsHost(), tmp_path)
    assert hashlib.sha256(archive.read_bytes()).hexdigest() in caught.value.why
    with pytest.raises(StudyError, match=r"is not mysql 5\.7"):
        obtain(f"mysql:5.7@archive:{archive}", WordsHost(), tmp_path)
    assert not (tmp_path / "home/engines").exists() or not list((tmp_path / "home/engines").iterdir())


def test_an_archive_without_a_server_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(ProvisionError, match="no server") as caught:
        obtain(f"mysql:8.0@archive:{pack(tmp_path / 'b', tmp_path / 'a.tgz')}", WordsHost(), tmp_path)
    assert "errmsg.sys" in caught.value.why


@pytest.mark.parametrize(
    ("source", "client"),
    [("maven:org.example:server:1.0:zip:linux", "mvn"), ("npm:@example/server@5.6.24", "npm")],
)
def test_a_coordinate_is_asked_of_its_own_client_once_and_without_one_that_is_said(
    source: str, client: str, tmp_path: Path
) -> None:
    host = WordsHost()
    with pytest.raises(ProvisionError, match="not on this host") as caught:
        obtain(f"mysql:8.0@{source}", host, tmp_path)
    assert "@archive:" in caught.value.remedy
    host.clients[client] = str(pack(build(tmp_path / "b"), tmp_path / "a.tar.gz"))
    found = obtain(f"mysql:8.0@{source}", host, tmp_path)
    assert found.origin.location == source.partition(":")[2]
    host.clients.clear()
    assert obtain(f"mysql:8.0@{source}", host, tmp_path) == found


@pytest.mark.parametrize(
    "source", ["maven:-Dx=y", "maven:a:b", "npm:server", "npm:--registry@1", "archive:ftp://x/y.tgz"]
)
def test_what_is_no_coordinate_is_refused_before_any_client_is_asked(source: str, tmp_path: Path) -> None:
    with pytest.raises(StudyError):
        obtain(f"mysql:8.0@{source}", WordsHost(), tmp_path)


def test_plain_http_is_refused_without_a_digest(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="can't be trusted"):
        obtain("mysql:8.0@archive:http://127.0.0.1:9/a.tar.gz", WordsHost(), tmp_path)


def test_https_without_a_digest_is_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="has no sha256") as caught:
        obtain("mysql:8.0@archive:https://127.0.0.1:9/a.tar.gz", WordsHost(), tmp_path)
    assert "dbdyno engines get --without-digest" in caught.value.remedy


def test_https_without_a_digest_is_fetched_where_that_is_asked_for(tmp_path: Path) -> None:
    """The address answers nothing here: what matters is that it is asked."""
    home = Home(tmp_path / "home")
    host = WordsHost()
    with pytest.raises(ProvisionError, match="can't be fetched"):
        ArchiveFetcher(without_digest=True).fetch("https://127.0.0.1:9/a.tar.gz", "", host, home, lambda _: None)


def test_a_library_that_the_host_lacks_is_named_with_its_package(tmp_path: Path) -> None:
    host = WordsHost()
    host.missing = {"libnuma.so.1", "libodd.so.9"}
    with pytest.raises(ProvisionError, match=r"libnuma\.so\.1") as caught:
        library_path([Path("/bin/true")], tmp_path, tmp_path / "links", host)
    assert caught.value.remedy == "install: libnuma1; find what brings libodd.so.9"


def test_a_library_that_the_build_brings_along_or_the_host_calls_otherwise_is_found(tmp_path: Path) -> None:
    host = WordsHost()
    host.missing = {"libaio.so.1", "libssl.so.1.1"}
    (tmp_path / "b/lib").mkdir(parents=True)
    (tmp_path / "b/lib/libssl.so.1.1").touch()
    (tmp_path / "libaio.so.1t64").touch()
    host.host_libraries = f"\tlibaio.so.1t64 (libc6,x86-64) => {tmp_path}/libaio.so.1t64\n"
    path = library_path([Path("/bin/true")], tmp_path / "b", tmp_path / "links", host)
    assert path.split(":") == [str(tmp_path / "b/lib"), str(tmp_path / "links")]
    assert (tmp_path / "links/libaio.so.1").resolve().name == "libaio.so.1t64"


def test_a_server_that_needs_such_a_library_is_started_with_its_path(tmp_path: Path) -> None:
    host = WordsHost()
    host.missing = {"libaio.so.1"}
    top = build(tmp_path / "b")
    (top / "libaio.so.1").touch()
    assert obtain(f"mysql:8.0@basedir:{top}", host, tmp_path).server_argv == (
        "env",
        f"LD_LIBRARY_PATH={top}",
        str(top / "bin/mysqld"),
    )
