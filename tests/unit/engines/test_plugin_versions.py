"""Rows of a storage engine know the versions of its plug-in: held against what three of them showed."""

from __future__ import annotations

import re

import pytest

from dbdyno.configure import RequestedOptions, ServerBuild, ServerSize, Setting, choose_settings
from dbdyno.core import StudyError
from dbdyno.engines import counter_sources, parameters_for, use_tables
from engine_vectors import PLUGIN_VERSIONS, plugin_names
from error_codes import raises_code


def chosen(plugin_version: str | None, **more: object) -> dict[str, Setting]:
    settings = choose_settings(
        ServerBuild("mariadb", "11.8.6", "tidesdb", plugin_version),
        ServerSize(256 << 20, 8),
        RequestedOptions(**more),  # type: ignore[arg-type]
    )
    return {setting.option: setting for setting in settings}


@pytest.mark.parametrize("version", PLUGIN_VERSIONS)
def test_only_options_that_a_version_of_the_plug_in_has_are_written(version: str) -> None:
    written = {option for option in chosen(version.partition("-")[0]) if option.startswith("tidesdb_")}
    assert len(written) >= 14 and written <= plugin_names("variables", version)
    every = {row.name for p in parameters_for("tidesdb") for row in p.rows if row.name.startswith("tidesdb_")}
    assert every & plugin_names("variables", version) == written


@pytest.mark.parametrize("version", PLUGIN_VERSIONS)
def test_the_counters_of_a_version_are_those_that_it_shows(version: str) -> None:
    status = plugin_names("status", version)

    def counted(plugin_version: str | None) -> set[str]:
        sources = counter_sources("mariadb", "11.8.6", ("tidesdb",), plugin_version)
        return {name for source in sources for name in source.status if name.startswith("tidesdb_")}

    here = counted(version.partition("-")[0])
    assert here == counted(None) & status
    assert len(counted(None)) == 24 and len(here) == {"4.2.4": 8, "4.5.5": 24, "4.5.6": 24}[version.partition("-")[0]]


def test_the_published_version_lacks_two_options_that_later_ones_have() -> None:
    later = {"tidesdb_max_concurrent_flushes", "tidesdb_lock_wait_timeout_ms"}
    assert chosen("4.5.5").keys() - chosen("4.2.4").keys() == later
    assert not later & chosen("").keys(), "a plug-in of unknown version gets only what all versions have"
    assert later <= chosen(None).keys(), "a study is held against the newest before the file is there"


def test_defaults_are_those_under_which_the_engine_is_measured_like_the_others() -> None:
    found = {option: setting.value for option, setting in chosen("4.2.4").items()}
    assert found["tidesdb_pessimistic_locking"] == "OFF" and found["tidesdb_log_level"] == "WARN"
    assert found["tidesdb_unified_memtable_sync_interval"] == found["tidesdb_default_sync_interval_us"] == "1000000"


def test_what_a_version_of_the_plug_in_lacks_is_refused_when_asked_for() -> None:
    with raises_code(StudyError, "impossible-with-plugin", "4.2.4") as caught:
        chosen("4.2.4", settings={"trx.lock_wait_timeout": 5})
    assert re.search(r"tidesdb_lock_wait_timeout_ms .* 4\.5\.1 ", caught.value.why)
    with raises_code(StudyError, "impossible-with-plugin", "plugin_version") as caught:
        chosen("", settings={"trx.lock_wait_timeout": 5})
    assert "plugin_version" in caught.value.remedy
    assert chosen("4.5.1", settings={"trx.lock_wait_timeout": 5})["tidesdb_lock_wait_timeout_ms"].value == "5000"
    with raises_code(StudyError, "impossible-with-plugin", "4.2.4", "tidesdb_max_concurrent_flushes"):
        chosen("4.2.4", raw={"tidesdb_max_concurrent_flushes": "2"})


def test_a_durability_that_only_other_storage_engines_have_is_said_so() -> None:
    with raises_code(StudyError, "impossible-setting", "mariadb 11.8.6") as caught:
        chosen("4.5.5", settings={"commit.durability": "relaxed"})
    assert " InnoDB and MyRocks " in caught.value.why


def test_rows_of_a_user_have_versions_of_plug_ins_too() -> None:
    row = '{ families = ["mariadb"], name = "otherdb_x", form = "count", plugin_since = "2.0", plugin_until = "3.1" }'
    keys = ('id = "otherdb.x"', 'unit = "count"', 'value = "1"', 'storage_engine = "otherdb"', 'reason = "r"')
    text = "\n".join(("[[parameter]]", *keys, f"options = [{row}]"))
    use_tables({"mine.toml": text})
    try:
        (parameter,) = [p for p in parameters_for("otherdb") if p.parameter_id == "otherdb.x"]
        having = [v for v in ("1.9", "2.0", "3.0.9", "3.1", "", None) if parameter.row("mariadb", "11.8", None, v)]
        assert having == ["2.0", "3.0.9", None]
        with pytest.raises(StudyError, match="not a version"):
            use_tables({"mine.toml": text.replace("2.0", "new")})
    finally:
        use_tables({})
