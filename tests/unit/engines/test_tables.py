"""Rows that a user adds to the tables of engines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.configure import ServerBuild, ServerSize, choose_settings
from dbdyno.core import StudyError
from dbdyno.engines import (
    catalogued,
    counter_sources,
    families,
    family_of,
    known_options,
    lookup_option,
    neutral_parameter,
    parameters_for,
    storage_engines,
    use_tables,
    used_tables,
)
from engine_vectors import ENGINES

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "add-an-engine.md"
OTHERDB = re.findall(r"```toml\n(# .*?engines\.d/otherdb.*?)```", GUIDE.read_text(), re.DOTALL)[0]
NEW_VERSION = re.findall(r"```toml\n(\[\[family\]\].*?)```", GUIDE.read_text(), re.DOTALL)[0]
MIB = 1 << 20


@pytest.fixture(autouse=True)
def without_rows_afterwards() -> Iterator[None]:
    yield
    use_tables({})


def chosen(version: str, storage_engine: str) -> dict[str, str]:
    settings = choose_settings(ServerBuild("mariadb", version, storage_engine), ServerSize(64 * MIB, 4))
    return {setting.option: setting.value for setting in settings}


def test_a_storage_engine_of_rows_alone_is_configured_shown_and_counted() -> None:
    assert "otherdb" not in storage_engines()
    use_tables({"otherdb.toml": OTHERDB})
    options = chosen("11.8.6", "otherdb")
    assert options["otherdb_block_cache_size"] == str(48 * MIB) and options["otherdb_flush_log_at_trx_commit"] == "1"
    assert options["otherdb_max_background_jobs"] == "2" and options["innodb_buffer_pool_size"] == str(16 * MIB)
    assert storage_engines()["otherdb"].beside == ("otherdb_data",)
    shown = neutral_parameter("memory.buffer_pool").shown("mariadb", "11.8.6", "otherdb")
    assert shown is not None and shown.variable == "otherdb_block_cache_size"
    sources = {s.counter_id: s.status for s in counter_sources("mariadb", "11.8.6", ("otherdb",))}
    assert sources["lsm.wal_bytes"] == ("Otherdb_wal_bytes",)
    assert {s.counter_id: s.status for s in counter_sources("mariadb", "11.8.6", ("rocksdb",))}["lsm.wal_bytes"] == (
        "Rocksdb_wal_bytes",
    )
    assert used_tables().keys() == {"otherdb.toml"}


def test_a_range_of_versions_takes_over_where_it_begins() -> None:
    assert family_of("mariadb", "13.0.1").key == "mariadb-12.0"
    before = chosen("12.3.1", "innodb")
    use_tables({"new.toml": NEW_VERSION})
    assert family_of("mariadb", "13.0.1").key == "mariadb-13.0"
    assert family_of("mariadb", "12.3.1").key == "mariadb-12.0" and family_of("mariadb", "12.3.1").until == "13.0"
    assert family_of("mariadb", "13.0.1").sql_files == family_of("mariadb", "12.3.1").sql_files
    assert chosen("12.3.1", "innodb") == before
    assert chosen("13.0.1", "innodb")["innodb_old_blocks_time"] == "500"


def test_a_range_in_the_middle_of_another_ends_where_that_did() -> None:
    ranges = '[{since = "8.0.20", initialise = "insecure", auth = "x"}]'
    rows = f'family = [{{name = "mysql", title = "MySQL", ranges = {ranges}}}]'
    use_tables({"mine.toml": rows})
    assert [(f.since, f.until) for f in families() if f.name == "mysql"][2:5] == [
        ("5.7", "8.0"), ("8.0", "8.0.20"), ("8.0.20", "8.1"),
    ]  # fmt: skip


def test_a_file_of_a_registry_is_known_by_its_series() -> None:
    row = {"family": "mysql", "version": "8.4.9", "source": "npm:my-mysql@1", "bytes": 1, "sha256": "a" * 64}
    use_tables({"mine.toml": "engine = [{" + ", ".join(f"{k} = {json.dumps(v)}" for k, v in row.items()) + "}]"})
    found = catalogued("mysql", "8.4", "npm")
    assert found is not None and found.source == "npm:my-mysql@1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("= 1", "TOML"),
        ("[[engines]]\nname = 1", "'engines'"),
        ("family = 3", "family"),
        ('[[family]]\nname = "x"', "family x lacks ranges"),
        ('[[family]]\nname = "x"\nranges = [{since = "1.0"}]', "family x lacks ranges.initialise, ranges.auth"),
        ('[[family]]\nname = "x"\nranges = [{since = "new", initialise = "insecure", auth = "a"}]', "not a version"),
        ('[[parameter]]\nid = "a.b"\noptions = 7', "'options' of the parameter a.b"),
    ],
)
def test_a_wrong_row_is_named_with_its_file(text: str, words: str) -> None:
    with pytest.raises(StudyError, match=re.escape(words)) as caught:
        use_tables({"mine.toml": text})
    assert "mine.toml" in caught.value.what or "not a version" in words
    assert not used_tables()


def test_every_name_of_tidesdb_in_the_reference_is_in_a_table() -> None:
    names = set(ENGINES["tidesdb_names"])
    counted = {
        row.lower() for s in counter_sources("mariadb", "11.8.6", ("tidesdb",)) for row in s.status if "tides" in row
    }
    options = {name for name in names if lookup_option(name, "mariadb", "11.8.6") is not None}
    written = chosen("11.8.6", "tidesdb").keys()
    assert len(names) >= 40 and not names - counted - options - written - set(known_options())
    assert {name for name in written if name.startswith("tidesdb_")} >= options - {"tidesdb_log_level"}
    assert storage_engines()["tidesdb"].beside == ("tidesdb_data",)
    assert not any(row.name.startswith("rocksdb") for p in parameters_for("tidesdb") for row in p.rows)
