"""The tables against what real servers were seen to do, where that knowledge is at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbdyno.core import StudyError
from dbdyno.engines import (
    catalogue,
    counter_ids,
    counter_sources,
    families,
    family_of,
    identify,
    known_options,
    lookup_option,
    matches,
    measured_state,
    neutral_parameters,
    parameters,
    parameters_for,
    within,
)
from engine_vectors import COUNTERS, ENGINES, SERVERS, ServerNames, option_state

SHARED = Path(__file__).parents[4] / "shared" / "engines"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/engines/live")
ROWS = [(parameter, row) for parameter in parameters() for row in parameter.rows]


def test_ranges_of_a_family_follow_one_another_without_gap() -> None:
    for before, after in zip(families(), families()[1:], strict=False):
        if before.name == after.name:
            assert before.until == after.since


@pytest.mark.parametrize(
    ("family", "version", "key"),
    [
        ("mysql", "8.0.46", "mysql-8.0"),
        ("mysql", "8.4.10", "mysql-8.1"),
        ("percona", "5.7.44", "percona-5.7"),
        ("mariadb", "10.11.19", "mariadb-10.11"),
        ("mariadb", "13.0.1", "mariadb-12.0"),
    ],
)
def test_a_version_finds_its_range(family: str, version: str, key: str) -> None:
    assert family_of(family, version).key == key


def test_unknown_families_and_versions_are_named_with_the_nearest() -> None:
    with pytest.raises(StudyError) as caught:
        family_of("mraiadb", "11.8")
    assert "mariadb" in caught.value.remedy
    with pytest.raises(StudyError, match=r"MariaDB 5\.1"):
        family_of("mariadb", "5.1")


@pytest.mark.parametrize(
    ("version", "comment", "variables", "family", "number"),
    [
        ("8.0.46", "MySQL Community Server - GPL", (), "mysql", "8.0.46"),
        ("9.7.4-2", "(Debian)", (), "mysql", "9.7.4"),
        ("5.7.44-48-log", "Percona Server (GPL), Release 48", (), "percona", "5.7.44"),
        ("5.6.22-71.0", "(Debian)", ("have_backup_locks",), "percona", "5.6.22"),
        ("5.5.5-10.6.23-MariaDB-0ubuntu0.22.04.1", "", (), "mariadb", "10.6.23"),
        ("11.8.6-MariaDB-0+deb13u1 from Debian", "stars", (), "mariadb", "11.8.6"),
        ("10.4.3-vendor", "private build", ("aria_pagecache_buffer_size",), "mariadb", "10.4.3"),
        ("5.5.62", "MySQL Community Server (GPL)", (), "mysql", "5.5.62"),
        ("26.1.0", "MySQL", (), "mysql", "26.1.0"),
    ],
)
def test_a_server_is_known_by_its_words(
    version: str, comment: str, variables: tuple[str, ...], family: str, number: str
) -> None:
    identity = identify(version, comment, frozenset(variables))
    assert (identity.family, identity.version) == (family, number)


def test_versions_compare_by_numbers() -> None:
    assert matches("11.8.6", "11.8")
    assert not matches("11.18.6", "11.1")
    assert within("10.11.8", "10.11.8", "11.0")
    assert not within("11.0.0", "10.11.8", "11.0")


def test_at_most_one_row_of_a_parameter_fits_a_server_and_a_value() -> None:
    versions = ["5.5.62", "5.7.44", "8.0.15", "8.0.29", "8.0.46", "8.4.10", "9.7.4"]
    versions += ["10.1.48", "10.5.23", "10.6.23", "10.11.19", "11.0.2", "11.4.5", "11.8.6", "12.1.2"]
    for parameter in parameters():
        for family in ("mysql", "percona", "mariadb"):
            for version in versions:
                for value in parameter.values or (1,):
                    fitting = [r for r in parameter.rows_of(family, version) if r.can_be(value)]
                    assert len(fitting) <= 1, (parameter.parameter_id, family, version, value)


def test_no_option_is_written_twice_for_a_target() -> None:
    for storage_engine in ("innodb", "rocksdb"):
        for family, version in (("mariadb", "11.8.6"), ("mariadb", "10.5.23"), ("mysql", "9.7.4"), ("mysql", "8.0.20")):
            rows = [p.row(family, version) for p in parameters_for(storage_engine)]
            names = [row.name for row in rows if row is not None]
            assert len(names) == len(set(names))


def test_every_reason_is_one_line_of_words() -> None:
    for parameter in parameters():
        assert parameter.reason and "\n" not in parameter.reason and not parameter.reason.endswith(".")


def test_options_that_do_nothing_or_are_refused_name_what_to_use_instead() -> None:
    refused = lookup_option("innodb_redo_log_capacity", "mariadb", "11.8.6")
    assert refused is not None and refused.state == "refused"
    assert "innodb_log_file_size" in refused.instead
    ignored = lookup_option("innodb_page_cleaners", "mariadb", "10.11.19")
    assert ignored is not None and ignored.state == "no-op"
    assert lookup_option("no_such_option", "mysql", "9.7.4") is None
    early = lookup_option("innodb_redo_log_capacity", "mysql", "8.0.29")
    assert early is None or early.state != "accepted"
    assert "innodb_io_capacity" in known_options()


def test_every_option_written_for_a_measured_server_is_one_it_accepts() -> None:
    checked = 0
    for server, full_version in ENGINES["tested_versions"].items():
        family, version = server.split("-")[0], full_version.split("-")[0]
        for parameter in parameters():
            row = parameter.row(family, version)
            if row is not None and (state := option_state(row.name, server)):
                checked += 1
                assert state.startswith(("accepted", "deprecated")), (server, row.name, state)
    assert checked > 300


@pytest.mark.parametrize("server", SERVERS)
def test_every_option_written_can_be_read_back_from_the_live_server(server: str) -> None:
    content = ServerNames.of(server)
    identity = identify(content.version, content.version_comment, content.variables)
    assert server.startswith(identity.family)
    for parameter in parameters():
        row = parameter.row(identity.family, identity.version)
        has_rocksdb = "rocksdb_block_cache_size" in content.variables
        if (
            row is None
            or parameter.storage_engine == "tidesdb"
            or (parameter.storage_engine == "rocksdb" and not has_rocksdb)
        ):
            continue
        kind, _, name = row.read.partition(":")
        shown = {key.lower() for key in (content.status if kind == "status" else content.variables)}
        if name == "tx_isolation" or row.name == "character_set_collations":
            assert name in shown or "transaction_isolation" in shown
        else:
            assert name.lower() in shown, (server, parameter.parameter_id, name)


@pytest.mark.parametrize("server", SERVERS)
def test_every_counter_source_exists_on_the_live_server(server: str) -> None:
    content = ServerNames.of(server)
    identity = identify(content.version, content.version_comment, content.variables)
    with_rocksdb = "rocksdb_block_cache_size" in content.variables
    status = {name.lower() for name in content.status}
    sources = counter_sources(identity.family, identity.version, ("rocksdb",) if with_rocksdb else ("innodb",))
    assert len(sources) > 60
    for source in sources:
        for name in source.status:
            place, _, variable = name.rpartition(":")
            if place == "variables":
                assert variable in content.variables, (server, source.counter_id, name)
            elif not place:  # what stands in texts and other tables, servers are asked for in tests/server
                pool = name.startswith("Threadpool_")  # shown once a thread pool is in use
                assert name.lower() in status or pool, (server, source.counter_id, name)
        assert not source.metric or source.metric in content.innodb_metrics, (server, source.metric)


def test_no_counter_of_the_reference_is_forgotten() -> None:
    ids = counter_ids()
    for counter_id, (kind, _) in COUNTERS.items():
        stem = counter_id.removesuffix(".*")
        if kind == "derived":
            continue  # made of two others by whoever reads them
        renamed = {"tls.sessions": "tls.accepts", "lsm.compaction_bytes": "lsm.compaction_read_bytes"}
        renamed |= {"lsm.stall": "lsm.stall_time", "lsm.block_cache": "lsm.cache_hits", "lsm.locks": "lsm.deadlocks"}
        renamed |= {"lsm.tombstones": "lsm.tombstone_ratio"}
        stem = renamed.get(stem, stem)
        assert any(known == stem or known.startswith(f"{stem}.") for known in ids), stem


def test_every_status_row_that_the_reference_names_is_read_somewhere() -> None:
    families, engines = ("mysql", "mariadb", "percona"), ("innodb", "rocksdb", "tidesdb")
    versions = ("5.5.62", "5.6.22", "5.7.44", "8.0.46", "9.7.4", "10.0.38", "10.1.48", "10.6.23", "11.8.6")
    read = {
        name.lower()
        for family in families
        for version in versions
        for engine in engines
        for source in counter_sources(family, version, (engine,))
        for name in source.status
    }
    named = {name for _, names in COUNTERS.values() for name in names}
    assert len(named) > 90
    assert sorted(named - read) == []


@pytest.mark.parametrize("version", ["10.0.38", "11.8.9"])
def test_mariadb_counts_rows_of_temporary_tables_as_mysql_does(version: str) -> None:
    status = {"handler_write": "5", "handler_tmp_write": "100", "handler_update": "2", "handler_tmp_update": "0"}
    by_id = {source.counter_id: source for source in counter_sources("mariadb", version)}
    assert (by_id["handler.write"].value(status), by_id["handler.update"].value(status)) == (105, 2)
    by_id = {source.counter_id: source for source in counter_sources("mysql", "9.7.4")}
    assert by_id["handler.write"].value({"handler_write": "105"}) == 105


@pytest.mark.parametrize(("family", "version"), [("mysql", "5.7.44"), ("mysql", "8.0.29"), ("mariadb", "10.3.39")])
def test_servers_without_a_row_for_it_tell_the_log_position_in_their_text(family: str, version: str) -> None:
    by_id = {source.counter_id: source for source in counter_sources(family, version)}
    told = {"text:log sequence number": "1000", "text:last checkpoint at": "400"}
    told |= {"variables:innodb_log_file_size": "100", "variables:innodb_log_files_in_group": "2"}
    assert by_id["redo.lsn"].value(told) == 1000
    assert by_id["redo.checkpoint_age"].value(told) == 600
    assert by_id["redo.capacity_effective"].value(told) == 200
    assert by_id["redo.checkpoint_limit"].value(told) == pytest.approx(162)
    assert not by_id["redo.lsn"].is_plain


def test_a_counter_that_is_not_shown_is_none_and_not_zero() -> None:
    by_id = {s.counter_id: s for s in counter_sources("mysql", "9.7.4")}
    assert by_id["pages.read"].value({}) is None
    assert by_id["pages.read"].value({"innodb_pages_read": "7"}) == 7
    age = by_id["redo.checkpoint_age"]
    status = {"innodb_redo_log_current_lsn": "30", "innodb_redo_log_checkpoint_lsn": "10"}
    assert (age.value(status), age.kind) == (20, "gauge")
    limit = by_id["redo.checkpoint_limit"].value({"innodb_redo_log_capacity_resized": "1000"})
    assert limit == pytest.approx(841.6)
    assert by_id["history.length"].value({}, {"trx_rseg_history_len": 4.0}) == 4.0
    assert "lsm.cache_hits" not in by_id


@pytest.mark.parametrize("server", SERVERS)
def test_every_variable_said_to_show_a_parameter_is_shown_by_the_live_server(server: str) -> None:
    content = ServerNames.of(server)
    identity = identify(content.version, content.version_comment, content.variables)
    shown = 0
    for parameter in neutral_parameters().values():
        where = parameter.shown(identity.family, identity.version)
        if where is not None and not parameter.build_dependent:
            shown += 1
            assert where.variable in content.variables, (server, parameter.parameter_id, where.variable)
    assert shown > 60


@needs_shared
@pytest.mark.parametrize("server", SERVERS)
def test_a_default_that_is_not_computed_is_what_the_live_server_shows(server: str) -> None:
    content = json.loads((SHARED / "live" / f"{server}.json").read_text())
    identity = identify(content["version"], content["version_comment"], frozenset(content["variables"]))
    for parameter in neutral_parameters().values():
        where = parameter.shown(identity.family, identity.version)
        if where is None or where.computed or parameter.build_dependent or not where.default:
            continue
        if (text := content["variables"].get(where.variable)) is None or where.variable in ("ssl_cert", "log_bin"):
            continue
        numbers = [t.replace(".", "", 1).lstrip("-").isdigit() for t in (text, where.default)]
        same = float(text) == float(where.default) if all(numbers) else text.lower() == where.default.lower()
        assert same, (server, where.variable, text, where.default)


def test_what_a_server_made_of_an_option_is_what_the_nearest_measured_one_did() -> None:
    assert measured_state("innodb_buffer_pool_instances", "mariadb", "11.4.10") == "no-op"
    assert measured_state("innodb_change_buffering", "mariadb", "11.0.2") == "no-op"
    assert measured_state("innodb_page_cleaners", "mariadb", "10.2.44") == "accepted"
    assert measured_state("innodb_page_cleaners", "mariadb", "10.1.48") == "refused"
    assert measured_state("have_ssl_of_ours", "mysql", "8.4.8") is None


def test_what_mysql_refuses_percona_may_have() -> None:
    assert measured_state("thread_statistics", "percona", "8.0.45") is None
    assert measured_state("innodb_io_capacity", "percona", "8.0.45") == "accepted"


def test_rows_that_show_a_parameter_do_not_overlap() -> None:
    versions = ["5.5.62", "5.6.51", "5.7.19", "5.7.44", "8.0.19", "8.0.45", "8.2.0", "8.4.8", "9.7.4", "26.1.0"]
    versions += [
        "10.0.38",
        "10.1.48",
        "10.2.44",
        "10.4.30",
        "10.5.4",
        "10.5.23",
        "10.6.23",
        "10.9.1",
        "11.0.2",
        "12.1.2",
    ]
    for parameter in neutral_parameters().values():
        for family in ("mysql", "percona", "mariadb"):
            for version in versions:
                fitting = [
                    r for r in parameter.rows if r.get("family") == family and within(version, r["since"], r["until"])
                ]
                assert len(fitting) <= 1, (parameter.parameter_id, family, version)


def test_the_reference_page_lists_every_file_of_the_catalogue_with_its_digest() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "engines.md").read_text()
    for entry in catalogue():
        assert entry.source.partition(":")[2] in page and entry.sha256 in page, "make engines"
