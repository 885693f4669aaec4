"""Plug-ins given as files: looked at before anything is fetched."""

from __future__ import annotations

import os
import shutil
import tracemalloc
from pathlib import Path

import pytest

from dbdyno.core import ProvisionError, StudyError, parse_engine_name
from dbdyno.study import parse_study, study_text
from error_codes import raises_code
from words_host import WordsHost, build, obtain

STUDY = """
[[target]]
engine = "mariadb:11.8+tidesdb"
plugin = "/opt/ha_tidesdb.so"
plugin_maturity = "Experimental"
[workload]
name = "sysbench/oltp_read_write"
[axes]
tier = "64MB"
concurrency = 1
"""


def plug_in(path: Path, content: bytes = b"_maria_plugin_declarations_\0") -> Path:
    """A shared library of this machine with some words in it."""
    shutil.copy("/bin/true", path)  # position-independent programs and shared libraries have the same ELF type
    path.write_bytes(path.read_bytes() + content)
    return path


def basedir(folder: Path) -> str:
    return f"mariadb:11.8+tidesdb@basedir:{build(folder / 'base', plugin='lib/plugin/ha_own.so')}"


@pytest.fixture
def host() -> WordsHost:
    return WordsHost("mariadbd  Ver 11.8.6-MariaDB for Linux on x86_64 (Source distribution)")


def test_it_lies_beside_the_servers_own_in_a_folder_of_its_own(tmp_path: Path, host: WordsHost) -> None:
    file = plug_in(tmp_path / "ha_tidesdb.so")
    found = obtain(f"{basedir(tmp_path)}#plugin={file}#plugin_maturity=beta", host, tmp_path)
    assert found.plugin_files == {"own": "ha_own.so", "tidesdb": "ha_tidesdb.so"}
    assert found.storage_engines == ("innodb", "own", "tidesdb") and found.plugin_maturity == "beta"
    assert sorted(path.name for path in found.plugin_directory.iterdir()) == ["ha_own.so", "ha_tidesdb.so"]
    assert (found.plugin_directory / "ha_own.so").is_symlink()
    assert found.origin.packages[-1].name == "ha_tidesdb.so"
    assert not (tmp_path / "base/lib/plugin/ha_tidesdb.so").exists()


def test_a_copy_that_was_changed_since_is_made_anew(tmp_path: Path, host: WordsHost) -> None:
    """What is recorded is the digest of the user's file, so that file is what is measured: no other in its place."""
    file = plug_in(tmp_path / "ha_tidesdb.so")
    name = f"{basedir(tmp_path)}#plugin={file}"
    folder = obtain(name, host, tmp_path).plugin_directory
    inode = (folder / "ha_tidesdb.so").stat().st_ino
    assert obtain(name, host, tmp_path).plugin_directory == folder
    assert (folder / "ha_tidesdb.so").stat().st_ino == inode  # unchanged: the copy stays
    with (folder / "ha_tidesdb.so").open("ab") as copy:
        copy.write(b"changed")
    (folder / "ha_own.so").unlink()
    (folder / "ha_own.so").symlink_to("/bin/false")
    assert obtain(name, host, tmp_path).plugin_directory == folder
    assert (folder / "ha_tidesdb.so").read_bytes() == file.read_bytes()
    assert (folder / "ha_own.so").readlink() == tmp_path / "base/lib/plugin/ha_own.so"
    assert [path.name for path in folder.parent.iterdir() if path.name.startswith(".")] == []


def test_a_file_that_is_missing_or_no_plug_in_is_told_apart_before_a_server_is_looked_for(
    tmp_path: Path, host: WordsHost
) -> None:
    (tmp_path / "text.so").write_text("int main;\n" * 10)
    wrong = {
        tmp_path / "none.so": "is not a file",
        tmp_path / "text.so": "is not a plug-in",
        plug_in(tmp_path / "libother.so", b""): "is not a plug-in",
    }
    for file, words in wrong.items():
        with pytest.raises(StudyError, match=words):
            obtain(f"mariadb:11.8+tidesdb@basedir:/nowhere#plugin={file}", host, tmp_path)


def test_a_file_for_another_machine_is_named_so(tmp_path: Path, host: WordsHost) -> None:
    file = plug_in(tmp_path / "ha_tidesdb.so")
    content = bytearray(file.read_bytes())
    content[18:20] = (9999).to_bytes(2, "little")
    file.write_bytes(content)
    with raises_code(ProvisionError, "other-architecture"):
        obtain(f"{basedir(tmp_path)}#plugin={file}", host, tmp_path)


def test_libraries_are_looked_for_beside_it_and_named_when_they_are_nowhere(tmp_path: Path, host: WordsHost) -> None:
    file = plug_in(tmp_path / "ha_tidesdb.so")
    name = basedir(tmp_path)
    host.missing = {"libtidesdb.so.1"}
    with raises_code(ProvisionError, "libraries-missing", "ha_tidesdb.so ", "libtidesdb.so.1"):
        obtain(f"{name}#plugin={file}", LibraryHost(host), tmp_path)
    (tmp_path / "libtidesdb.so.1").write_text("")
    found = obtain(f"{name}#plugin={file}", LibraryHost(host), tmp_path)
    assert found.server_argv[:2] == ("env", f"LD_LIBRARY_PATH={found.plugin_directory}")


class LibraryHost(WordsHost):
    """A host on which only the plug-in lacks a library."""

    def __init__(self, like: WordsHost) -> None:
        super().__init__(like.words)
        self._lacks = like.missing

    def run(self, argv: object, **more: object) -> object:  # type: ignore[override]
        words = list(argv)  # type: ignore[call-overload]
        if "ldd" in words:
            self.missing = self._lacks if words[-1].endswith("ha_tidesdb.so") else set()
            if words[0] == "env":
                more["env"] = {"LD_LIBRARY_PATH": words[1].partition("=")[2]}
                words = words[2:]
        return super().run(words, **more)


def test_a_study_says_it_by_keys_of_its_target() -> None:
    study = parse_study(STUDY, "s.toml")
    (target,) = study.targets
    assert (target.engine.plugin, target.engine.plugin_maturity) == ("/opt/ha_tidesdb.so", "experimental")
    assert target.name == "mariadb:11.8+tidesdb"
    assert parse_study(study_text(study), "s.toml") == study


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("+tidesdb", ""), "storage engine"),
        (("Experimental", "young"), "'young'"),
        (("mariadb:11.8", "mysql:9.7"), "maturity"),
    ],
)
def test_what_does_not_hang_together_is_named_with_its_line(change: tuple[str, str], words: str) -> None:
    with pytest.raises(StudyError, match=words) as caught:
        parse_study(STUDY.replace(*change), "s.toml")
    assert caught.value.what.startswith("s.toml:")


def test_a_name_with_a_plug_in_is_read_back_as_it_was() -> None:
    text = "mariadb:11.8+tidesdb@basedir:/my build#plugin=/opt/ha x.so#plugin_maturity=beta"
    assert str(parse_engine_name(text)) == text


def test_a_plug_in_of_gigabytes_is_not_held_in_memory(tmp_path: Path, host: WordsHost) -> None:
    """With debug information in it, a library may be large."""
    file = plug_in(tmp_path / "ha_tidesdb.so")
    os.truncate(file, 300 << 20)
    tracemalloc.start()
    try:
        obtain(f"{basedir(tmp_path)}#plugin={file}#plugin_maturity=beta", host, tmp_path)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < 64 << 20
