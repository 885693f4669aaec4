"""Versions that a plug-in's file declares, and the libraries that come with it: real files, made by a compiler."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import ProvisionError, StudyError, parse_engine_name
from dbdyno.hosts import Completed, LocalHost
from dbdyno.provision import Installation, plugin_version_of
from dbdyno.provision._plugin_elf import declared_versions
from error_codes import raises_code
from words_host import WordsHost, build, obtain

COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no compiler here")
# The head of a plug-in as MariaDB's include/mysql/plugin.h lays it out.
PLUGIN = """
struct plugin { int type; void *info; const char *name, *author, *descr;
  int license; int (*init)(void*), (*deinit)(void*);
  unsigned int version; void *status, *variables; const char *version_info; unsigned int maturity; };
%(extern)s
struct plugin _maria_plugin_declarations_[] = {
  {1, 0, "TidesDB", "a", "d", 1, 0, 0, 0x0402, 0, 0, %(version)s, 3},
  {2, 0, "TIDESDB_STATUS", "a", "d", 1, 0, 0, 0x0402, 0, 0, "7.1", 3},
  {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
"""


class CompiledHost(WordsHost):
    """A server's version is told; the loader is the machine's own."""

    def run(self, argv: Sequence[str], **more: Any) -> Completed:
        return LocalHost.run(self, argv, **more) if "ldd" in argv else super().run(argv, **more)


def compiled(path: Path, source: str, *words: str) -> Path:
    assert COMPILER is not None
    command = [COMPILER, "-shared", "-fPIC", "-x", "c", "-", "-o", str(path), *words]
    subprocess.run(command, input=source.encode(), check=True, capture_output=True)
    return path


def plug_in(path: Path, version: str = '"4.2.4"', *words: str, extern: str = "") -> Path:
    return compiled(path, PLUGIN % {"version": version, "extern": extern}, *words)


def placed(tmp_path: Path, file: Path, notes: str = "") -> Installation:
    base = tmp_path / "base"
    if not base.exists():
        build(base, plugin="lib/plugin/ha_own.so")
    host = CompiledHost("mariadbd  Ver 11.8.6-MariaDB for Linux on x86_64 (Source distribution)")
    return obtain(f"mariadb:11.8+tidesdb@basedir:{base}#plugin={file}{notes}", host, tmp_path)


@pytest.mark.parametrize("words", [(), ("-Wl,-z,pack-relative-relocs",), ("-Wl,-z,now,-z,relro", "-O2", "-g")])
def test_the_version_of_each_plug_in_is_read_without_loading_the_file(tmp_path: Path, words: tuple[str, ...]) -> None:
    found = declared_versions(plug_in(tmp_path / "ha_tidesdb.so", '"4.2.4"', *words))
    assert found == {"tidesdb": "4.2.4", "tidesdb_status": "7.1"}


@pytest.mark.parametrize("version", ["0", '"new"', '""'])
def test_a_version_that_is_none_is_not_known(tmp_path: Path, version: str) -> None:
    assert "tidesdb" not in declared_versions(plug_in(tmp_path / "ha_tidesdb.so", version))


def test_a_damaged_file_has_no_versions_and_is_no_error(tmp_path: Path) -> None:
    content = plug_in(tmp_path / "ha_tidesdb.so").read_bytes()
    for length in range(0, len(content), 97):
        (tmp_path / "cut.so").write_bytes(content[:length])
        declared_versions(tmp_path / "cut.so")
    for place in range(0, min(len(content), 4096), 7):
        (tmp_path / "bent.so").write_bytes(content[:place] + b"\xff" + content[place + 1 :])
        declared_versions(tmp_path / "bent.so")


def test_the_files_version_is_the_installations_and_another_one_is_refused(tmp_path: Path) -> None:
    file = plug_in(tmp_path / "ha_tidesdb.so")
    assert placed(tmp_path, file).plugin_version("tidesdb") == "4.2.4"
    assert placed(tmp_path, file, "#plugin_version=4.2").plugin_version("tidesdb") == "4.2.4"
    with raises_code(StudyError, "plugin-version", "ha_tidesdb.so", "4.5.6") as caught:
        placed(tmp_path, file, "#plugin_version=4.5.6")
    assert "tidesdb 4.2.4" in caught.value.why


def test_a_study_may_say_what_the_file_does_not(tmp_path: Path) -> None:
    file = plug_in(tmp_path / "ha_tidesdb.so", "0")
    found = placed(tmp_path, file, "#plugin_version=4.2.4")
    assert found.plugin_version("tidesdb") == "4.2.4" and placed(tmp_path, file).plugin_version("tidesdb") == ""
    assert plugin_version_of(parse_engine_name(f"mariadb:11.8+tidesdb#plugin={file}")) == ""


def test_the_engine_itself_is_copied_and_recorded_with_its_plug_in(tmp_path: Path) -> None:
    """Through two libraries, one wanted by the other, found by a path that is relative to the original plug-in."""
    build_folder = tmp_path / "built"
    build_folder.mkdir()
    origin = ("-Wl,-rpath,$ORIGIN", f"-L{build_folder}")
    compiled(build_folder / "libbase.so", "int base(void) { return 1; }", "-Wl,-soname,libbase.so")
    engine = "int base(void); int engine(void) { return base(); }"
    compiled(build_folder / "libtidesdb.so", engine, *origin, "-lbase", "-Wl,-soname,libtidesdb.so")
    extern = "int engine(void); int use(void) { return engine(); }"
    file = plug_in(build_folder / "ha_tidesdb.so", '"4.2.4"', *origin, "-ltidesdb", extern=extern)
    found = placed(tmp_path, file)
    for name in ("libbase.so", "libtidesdb.so", "ha_tidesdb.so"):
        copy = found.plugin_directory / name
        assert not copy.is_symlink() and copy.read_bytes() == (build_folder / name).read_bytes()
    packages = {package.name: (package.version, package.sha256) for package in found.origin.packages[1:]}
    assert packages["ha_tidesdb.so"][0] == "plug-in 4.2.4"
    digest = hashlib.sha256((build_folder / "libtidesdb.so").read_bytes()).hexdigest()
    assert packages["libtidesdb.so"][1] == digest
    shutil.rmtree(build_folder)
    again = LocalHost().run([*found.server_argv[:-1], "ldd", str(found.plugin_directory / file.name)], timeout_s=10)
    assert "not found" not in again.stdout and str(found.plugin_directory / "libtidesdb.so") in again.stdout


def test_a_rebuilt_engine_is_another_one(tmp_path: Path) -> None:
    compiled(tmp_path / "libtidesdb.so", "int engine(void) { return 1; }", "-Wl,-soname,libtidesdb.so")
    extern = "int engine(void); int use(void) { return engine(); }"
    file = plug_in(tmp_path / "ha_tidesdb.so", '"4.2.4"', f"-L{tmp_path}", "-ltidesdb", extern=extern)
    first = placed(tmp_path, file)
    compiled(tmp_path / "libtidesdb.so", "int engine(void) { return 2; }", "-Wl,-soname,libtidesdb.so")
    second = placed(tmp_path, file)
    assert first.plugin_directory != second.plugin_directory and first.plugin_directory.is_dir()
    assert first.origin != second.origin
    (tmp_path / "libtidesdb.so").unlink()
    with raises_code(ProvisionError, "libraries-missing", "libtidesdb.so"):
        placed(tmp_path, file)
