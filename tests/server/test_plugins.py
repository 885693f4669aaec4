"""Storage engines given as files, on real servers: MyRocks' own plug-in, taken out of its package, stands in."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import Server
from dbdyno.core import ConfigureError, ProvisionError, StudyError
from dbdyno.hosts import LocalHost, mapped_libraries
from error_codes import raises_code

pytestmark = pytest.mark.server
Start = Callable[..., Server]
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "add-an-engine.md"
DBDYNO = (sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main())")
_MATURITY_AT = 96  # in MariaDB's struct st_maria_plugin, on 64 bits
_EXPERIMENTAL = 1
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


@pytest.fixture
def plugin(laboratory: Any) -> Path:
    """A copy of MyRocks' plug-in, as if it had been built elsewhere."""
    packaged = laboratory.installation("mariadb:11.8+rocksdb")
    copy = laboratory.folder() / "ha_rocksdb.so"
    shutil.copy(packaged.plugin_directory / packaged.plugin_files["rocksdb"], copy)
    return Path(copy)


def test_a_plug_in_given_as_a_file_is_loaded_and_holds_tables(plugin: Path, start: Start, laboratory: Any) -> None:
    server = start(f"mariadb:11.8+rocksdb#plugin={plugin}")
    assert server.variables()["plugin_dir"].startswith(str(laboratory.home.plugins))
    assert server.installation.plugin_files["rocksdb"] == "ha_rocksdb.so"
    assert int(server.variables()["rocksdb_block_cache_size"]) == 48 << 20
    assert all(setting.effective is not None for setting in server.settings)
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE dbdyno_t")
        cursor.execute("CREATE TABLE dbdyno_t.t (id INT PRIMARY KEY) ENGINE=rocksdb")
        cursor.execute("INSERT INTO dbdyno_t.t VALUES (7)")
    said = server.plugin("rocksdb")
    assert said["library"] == "ha_rocksdb.so" and said["version"] == server.installation.plugin_version("rocksdb")
    libraries = {
        Path(each["path"]).name: each
        for each in mapped_libraries(LocalHost().files, server.pid, [server.installation.own_tree])
    }
    assert libraries["ha_rocksdb.so"]["sha256"] == server.installation.origin.packages[-1].sha256
    assert "libc.so.6" not in libraries, "it belongs to the server's own packages"
    assert server.plugin("innodb") == {}
    assert server.stop() < 60


def test_a_plug_in_of_another_version_than_its_options_were_chosen_for_is_refused(
    plugin: Path, start: Start, laboratory: Any
) -> None:
    with raises_code(ConfigureError, "plugin-version", "9.9") as caught:
        start(f"mariadb:11.8+rocksdb#plugin={plugin}", plugin_version="9.9")
    assert 'plugin_version = "' in caught.value.remedy


def test_the_copy_that_is_loaded_does_not_change_with_the_file(plugin: Path, laboratory: Any) -> None:
    first = laboratory.installation(f"mariadb:11.8+rocksdb#plugin={plugin}")
    with plugin.open("ab") as file:
        file.write(b"\0")
    second = laboratory.installation(f"mariadb:11.8+rocksdb#plugin={plugin}")
    assert first.plugin_directory != second.plugin_directory
    assert first.origin.packages[-1].sha256 != second.origin.packages[-1].sha256
    assert first.origin.packages[:-1] == second.origin.packages[:-1]


def test_a_plug_in_that_is_less_ripe_than_the_server_takes_is_named_and_taken_when_told(
    plugin: Path, start: Start
) -> None:
    call_it_experimental(plugin)
    with pytest.raises(ConfigureError, match=r"ROCKSDB.*experimental") as caught:
        start(f"mariadb:11.8+rocksdb#plugin={plugin}")
    assert 'plugin_maturity = "experimental"' in caught.value.remedy
    server = start(f"mariadb:11.8+rocksdb#plugin={plugin}#plugin_maturity=experimental")
    assert server.variables()["plugin_maturity"] == "experimental" and "rocksdb" in server.storage_engines()


def test_a_plug_in_built_for_another_version_is_named_with_the_version_to_build_for(
    start: Start, laboratory: Any
) -> None:
    other = laboratory.installation("mariadb:10.11+rocksdb")
    copy = laboratory.folder() / "ha_rocksdb.so"
    shutil.copy(other.plugin_directory / other.plugin_files["rocksdb"], copy)
    with raises_code(ConfigureError, "plugin-version") as caught:
        start(f"mariadb:11.8+rocksdb#plugin={copy}")
    assert "undefined symbol" in caught.value.why and "mariadb 11.8" in caught.value.remedy


def test_a_plug_in_of_another_storage_engine_is_named_with_those_the_server_has(plugin: Path, start: Start) -> None:
    with raises_code(ConfigureError, "storage-engine-missing", "otherdb") as caught:
        start(f"mariadb:11.8+otherdb#plugin={plugin}")
    assert "rocksdb" in caught.value.why


def test_a_running_server_is_given_no_plug_in(plugin: Path) -> None:
    from dbdyno.core import Home, parse_engine_name
    from dbdyno.hosts import LocalHost
    from dbdyno.provision import Installation, Origin
    from dbdyno.provision._plugin import with_plugin
    from dbdyno.study import ServerAddress

    running = Installation(
        "mariadb", "11.8.6", "11.8.6", ("innodb",), Origin("server", "mine"), address=ServerAddress(
            name="mine", socket="/s", host=None, port=None, user="u", password_file=None, password_env=None, tls="off"
        ),
    )  # fmt: skip
    with pytest.raises(StudyError, match="'mine'"):
        with_plugin(running, parse_engine_name(f"mariadb:11.8+x#plugin={plugin}"), LocalHost(), Home(plugin.parent))


def call_it_experimental(path: Path) -> None:
    """Change what each plug-in of a library says of its maturity."""
    content = bytearray(path.read_bytes())
    declared = _address_of(content, b"_maria_plugin_declarations_")
    (size,) = struct.unpack_from("<i", content, _address_of(content, b"_maria_sizeof_struct_st_plugin_"))
    for place in range(declared, declared + 64 * size, size):
        if struct.unpack_from("<i", content, place + _MATURITY_AT)[0] not in range(1, 6):
            break
        struct.pack_into("<i", content, place + _MATURITY_AT, _EXPERIMENTAL)
    path.write_bytes(content)


def _address_of(content: bytearray, name: bytes) -> int:
    """Place in an ELF file of what a dynamic symbol stands for."""
    table, size, count = struct.unpack_from("<Q10xHH", content, 40)[0], *struct.unpack_from("<HH", content, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", content, table + i * size) for i in range(count)]
    symbols = next(s for s in sections if s[1] == 11)
    names = sections[symbols[6]][4]
    for place in range(symbols[4], symbols[4] + symbols[5], 24):
        name_at, value = struct.unpack_from("<I", content, place)[0], struct.unpack_from("<Q", content, place + 8)[0]
        if content[names + name_at : names + name_at + len(name) + 1] == name + b"\0":
            holder = next(s for s in sections if s[3] and s[3] <= value < s[3] + s[5])
            return int(value - holder[3] + holder[4])
    raise LookupError(name)


def test_a_storage_engine_and_a_range_of_versions_known_by_rows_alone_are_measured(
    plugin: Path, laboratory: Any
) -> None:
    """The rows of the guide; MyRocks' plug-in under another name is a storage engine that no packaged table knows."""
    call_it_otherdb(plugin)
    rows = GUIDE.read_text()
    tables = laboratory.folder()
    (tables / "otherdb.toml").write_text(re.findall(r"```toml\n(# .*?otherdb.*?)```", rows, re.DOTALL)[0])
    new_range = re.findall(r"```toml\n(\[\[family\]\].*?)```", rows, re.DOTALL)[0]
    (tables / "new.toml").write_text(new_range.replace("13.0", "11.8.1").replace('e = "innodb"', 'e = "otherdb"'))
    results = laboratory.folder() / "results"
    study = laboratory.folder() / "study.toml"
    study.write_text(
        f'target = [{{engine = "mariadb:11.8+otherdb", plugin = "{plugin}", name = "other"}}]\n'
        'workload = {name = "sysbench/oltp_read_write", tables = 1, table_size = 1000}\n'
        'axes = {tier = "64MB", concurrency = 2}\n'
        'measure = {warm_up = "1s", window = "2s", repeats = 1, equivalence_events = 0}\n'
        'pacing = {think = "20ms"}\n'
    )
    environment = {**os.environ, "DBDYNO_TABLES": str(tables), "DBDYNO_HOME": str(laboratory.home.root)}
    done = subprocess.run(
        [*DBDYNO, "run", str(study), "-o", str(results), "--quiet", "--no-calibrate"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (run,) = (results / "runs").iterdir()
    settings = {s["option"]: s for s in json.loads((run / "settings.json").read_text())}
    assert settings["otherdb_block_cache_size"]["effective"] == str(48 << 20)
    assert settings["innodb_old_blocks_time"]["effective"] == "500"
    record = json.loads((run / "record.json").read_text())
    assert record["status"] == "good" and record["transactions"] > 0 and record["storage_engine"] == "otherdb"
    (engine,) = (results / "engines").glob("*.json")
    facts = json.loads(engine.read_text())
    assert set(facts["added_tables"]) == {"otherdb.toml", "new.toml"}
    assert facts["packages"][-1]["name"] == "ha_rocksdb.so"


def call_it_otherdb(path: Path) -> None:
    """Give the storage engine in MyRocks' plug-in another name; its options and counters follow it."""
    content = path.read_bytes()
    assert content.count(b"\0ROCKSDB\0") == 1
    path.write_bytes(content.replace(b"\0ROCKSDB\0", b"\0OTHERDB\0"))


@pytest.fixture
def plugin_beside_its_library(plugin: Path) -> Path:
    """A plug-in without code of its own, as TidesDB's nearly is: the storage engine is a library next to it."""
    library = plugin.with_name("librocksdbengine.so.1")
    plugin.rename(library)
    source = plugin.with_name("plugin.c")
    source.write_text('const char dbdyno_words[] = "_maria_plugin_declarations_";\n')
    argv = ["cc", "-shared", "-fPIC", "-o", plugin, source, "-Wl,--no-as-needed", "-L", plugin.parent]
    subprocess.run([*argv, f"-l:{library.name}"], check=True)
    return plugin


@needs_compiler
def test_a_library_that_a_plug_in_needs_is_copied_and_recorded_with_its_digest(
    plugin_beside_its_library: Path, laboratory: Any
) -> None:
    library = plugin_beside_its_library.with_name("librocksdbengine.so.1")
    digest = hashlib.sha256(library.read_bytes()).hexdigest()
    results, study = laboratory.folder() / "results", laboratory.folder() / "study.toml"
    study.write_text(
        f'target = [{{engine = "mariadb:11.8+rocksdb", plugin = "{plugin_beside_its_library}"}}]\n'
        'workload = {name = "sysbench/oltp_read_write", tables = 1, table_size = 1000}\n'
        'axes = {tier = "64MB", concurrency = 2}\n'
        'measure = {warm_up = "1s", window = "2s", repeats = 1, equivalence_events = 0}\n'
        'pacing = {think = "20ms"}\n'
    )
    argv = [*DBDYNO, "run", str(study), "-o", str(results), "--quiet", "--no-calibrate"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (engine,) = (results / "engines").glob("*.json")
    packages = {package["name"]: package for package in json.loads(engine.read_text())["packages"]}
    assert packages[library.name]["sha256"] == digest
    (run,) = (results / "runs").iterdir()
    assert json.loads((run / "record.json").read_text())["status"] == "good"
    mapped = {Path(each["path"]): each for each in json.loads((run / "process.json").read_text())["libraries"]}
    (path,) = [path for path in mapped if path.name == library.name]
    assert mapped[path]["sha256"] == digest
    assert path.is_relative_to(laboratory.home.plugins), "the copy is what runs"


@needs_compiler
def test_a_plug_in_whose_library_is_missing_is_refused_before_a_server_starts(
    plugin_beside_its_library: Path, laboratory: Any
) -> None:
    plugin_beside_its_library.with_name("librocksdbengine.so.1").unlink()
    with raises_code(ProvisionError, "libraries-missing", "librocksdbengine.so.1"):
        laboratory.installation(f"mariadb:11.8+rocksdb#plugin={plugin_beside_its_library}")
