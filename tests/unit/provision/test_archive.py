"""Engines from archives: whole ones, broken ones, such as want to write elsewhere, and base directories."""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from dbdyno.core import Home, ProvisionError, StudyError, parse_engine_name
from dbdyno.provision import provision, sources
from dbdyno.provision._archive import unpack
from dbdyno.provision._base_directory import find_base, library_path
from dbdyno.provision._fetch import ArchiveFetcher
from error_codes import raises_code
from words_host import WordsHost, build, obtain, pack

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
        with raises_code(ProvisionError, "unsafe-archive"):
            unpack(made, tmp_path / "deep" / "out")
    assert not list(tmp_path.rglob("evil")) and not Path("/tmp/evil").exists()


def test_nothing_is_written_through_a_link_and_no_link_out_is_left(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    through = _tar(tmp_path / "a.tar.gz", _link("door", str(outside)), _file("door/evil"))
    with pytest.raises(ProvisionError, match="door/evil"):
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
        with raises_code(ProvisionError, "unsafe-archive"):
            unpack(_tar(tmp_path / "a.tar.gz", member), tmp_path / "out")


def test_suites_of_tests_are_left_out(tmp_path: Path) -> None:
    unpack(_tar(tmp_path / "a.tar.gz", _file("top/mysql-test/t/a.test"), _file("top/README")), tmp_path / "out")
    assert [p.name for p in (tmp_path / "out/top").iterdir()] == ["README"]


def test_what_is_cut_short_or_no_archive_is_an_error_that_says_so(tmp_path: Path) -> None:
    whole = _tar(tmp_path / "a.tar.gz", _file("big", os.urandom(1 << 16))).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.zip").write_text("no archive")
    with raises_code(ProvisionError, "damaged-archive", "cut.tar.gz"):
        unpack(tmp_path / "cut.tar.gz", tmp_path / "out")
    with raises_code(ProvisionError, "unknown-archive"):
        unpack(tmp_path / "text.zip", tmp_path / "out")


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
    with raises_code(ProvisionError, "other-architecture"):
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
    with raises_code(StudyError, "storage-engine-missing", "rocksdb"):
        obtain(
            f"percona:8.0+rocksdb@basedir:{build(tmp_path / 'b')}", WordsHost("Ver 8.0.4 (Percona Server)"), tmp_path
        )


def test_a_storage_engine_that_comes_as_a_file_is_refused_with_the_words_that_give_it(tmp_path: Path) -> None:
    host = WordsHost("mariadbd  Ver 11.8.6-MariaDB for Linux on x86_64 (Source distribution)")
    with raises_code(StudyError, "storage-engine-missing", "tidesdb") as caught:
        obtain(f"mariadb:11.8+tidesdb@basedir:{build(tmp_path / 'b')}", host, tmp_path)
    assert 'plugin = "/path/ha_tidesdb.so"' in caught.value.remedy and "#plugin=PATH" in caught.value.remedy


def test_an_archive_that_is_unpacked_already_is_refused_with_the_same_words(tmp_path: Path) -> None:
    archive = pack(build(tmp_path / "b"), tmp_path / "a.tar.gz")
    remedies = []
    for storage_engine in ("rocksdb", "innodb", "rocksdb"):  # the second one is unpacked
        try:
            obtain(f"percona:8.0+{storage_engine}@archive:{archive}", WordsHost("Ver 8.0.4 (Percona Server)"), tmp_path)
        except StudyError as error:
            remedies.append(error.remedy)
    assert len(remedies) == 2 and remedies[0] == remedies[1] and "#plugin=PATH" in remedies[0]


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
    with raises_code(ProvisionError, "digest-mismatch") as caught:
        obtain(f"mysql:8.0@archive:{archive}#sha256={'0' * 64}", WordsHost(), tmp_path)
    assert hashlib.sha256(archive.read_bytes()).hexdigest() in caught.value.why
    with raises_code(StudyError, "other-server", "mysql 5.7"):
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
    with raises_code(ProvisionError, "command-missing") as caught:
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
    with raises_code(StudyError, "untrusted", "http://127.0.0.1:9/a.tar.gz"):
        obtain("mysql:8.0@archive:http://127.0.0.1:9/a.tar.gz", WordsHost(), tmp_path)


def test_https_without_a_digest_is_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    with raises_code(StudyError, "digest-missing", "https://127.0.0.1:9/a.tar.gz") as caught:
        obtain("mysql:8.0@archive:https://127.0.0.1:9/a.tar.gz", WordsHost(), tmp_path)
    assert "dbdyno engines get --without-digest" in caught.value.remedy


def test_https_without_a_digest_is_fetched_where_that_is_asked_for(tmp_path: Path) -> None:
    """The address answers nothing here: what matters is that it is asked."""
    home = Home(tmp_path / "home")
    host = WordsHost()
    with raises_code(ProvisionError, "not-fetched", "https://127.0.0.1:9/a.tar.gz"):
        ArchiveFetcher(without_digest=True).fetch("https://127.0.0.1:9/a.tar.gz", "", host, home, lambda _: None)


def test_a_library_that_the_host_lacks_is_named_with_its_package(tmp_path: Path) -> None:
    host = WordsHost()
    host.missing = {"libnuma.so.1", "libodd.so.9"}
    with pytest.raises(ProvisionError, match=r"libnuma\.so\.1") as caught:
        library_path([Path("/bin/true")], tmp_path, tmp_path / "links", host)
    assert re.fullmatch(r"install: libnuma1; .* libodd\.so\.9", caught.value.remedy)


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


@pytest.mark.parametrize("kind", ["one large file", "many files"])
def test_an_archive_that_would_fill_the_disk_is_refused_and_nothing_of_it_stays(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of holes in a sparse archive: a few KiB say that they are 100 TiB."""
    archive, home = tmp_path / "bomb.tar", tmp_path / "home"
    size = 100 << 40 if kind == "one large file" else 1 << 20
    with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as file:
        for number in range(1 if kind == "one large file" else 8):
            info = tarfile.TarInfo(f"bin/mysqld{number}")
            info.size = size
            file.fileobj.write(info.tobuf(tarfile.GNU_FORMAT))
            file.fileobj.write(bytes(1 << 20) if size == 1 << 20 else b"")
    if kind == "many files":  # on a disk of 100 MiB with 5 MiB free, of which each file takes its part
        real = shutil.disk_usage

        def small(path: Path) -> object:
            used = sum(each.stat().st_size for each in Path(path).rglob("*") if each.is_file())
            return real(path)._replace(total=100 << 20, free=(5 << 20) - used)

        monkeypatch.setattr(shutil, "disk_usage", small)
    with raises_code(ProvisionError, "damaged-archive", "bomb.tar") as caught:
        obtain(f"mysql:8.0@archive:{archive}", WordsHost(), tmp_path)
    assert re.search(r"'bin/mysqld\d' .*\b(100 TiB|1 MiB)\b.* free", caught.value.why)
    assert not [path for path in home.rglob("mysqld*")]
