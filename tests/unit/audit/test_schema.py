"""What the tables are."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from audit_cases import (
    MARIADB_11_8,
    MYSQL_5_7,
    MYSQL_8_4,
    audited,
    facts,
    found,
    outcome,
    verdict,
    with_facts,
)
from dbdyno.audit import TargetFacts, what
from dbdyno.audit.predicates._definitions import normalised_ddl


def test_the_collation_of_columns_comes_before_the_servers() -> None:
    columns = {"columns": [["sbtest1", "c", "utf8mb4", "utf8mb4_bin"]]}
    a, b = (facts(n, more={"schema": columns}, collation_server=c) for n, c in (("a", "x"), ("b", "y")))
    assert outcome("table-collation-mismatch", a, b) == "clear"
    servers = facts("a", collation_server="utf8mb4_0900_ai_ci"), facts("b", collation_server="utf8mb4_general_ci")
    assert verdict("table-collation-mismatch", *servers).certainty == "inferred"


@pytest.mark.parametrize("place", ["variables", "columns", "ddl"])
def test_one_character_set_under_two_names_is_no_difference(place: str) -> None:
    def target(name: str, version: str, charset: str) -> TargetFacts:
        words = {"character_set_server": charset, "collation_server": f"{charset}_general_ci"}
        schema = {
            "variables": {},
            "columns": {"columns": [["t", "c", charset, f"{charset}_general_ci"]]},
            "ddl": {"ddl": {"t": f"CREATE TABLE `t` (`c` text) CHARSET={charset} COLLATE={charset}_general_ci"}},
        }[place]
        return facts(name, version, more={"schema": schema}, **words)

    old, new, other = (
        target("a", MYSQL_5_7, "utf8"),
        target("b", MYSQL_8_4, "utf8mb3"),
        target("c", MYSQL_8_4, "utf8mb4"),
    )
    for rule in ("table-collation-mismatch", "charset-mismatch"):
        assert outcome(rule, old, new) == "clear"
        assert outcome(rule, old, other) == "finding"


def test_a_connection_of_the_columns_own_collation_needs_no_conversion_under_the_old_name() -> None:
    a = facts("a", MYSQL_5_7, collation_connection="utf8_general_ci", collation_server="utf8_general_ci")
    b = facts("b", collation_connection="utf8mb3_general_ci", collation_server="utf8mb3_general_ci")
    assert outcome("connection-collation-conversion", a, b) == "clear"
    c = facts("c", collation_connection="latin1_swedish_ci", collation_server="utf8mb3_general_ci")
    assert outcome("connection-collation-conversion", a, c) == "finding"


def test_character_sets_are_silent_where_only_collations_differ() -> None:
    pair = (
        facts("a", character_set_server="utf8mb4", collation_server="x"),
        facts("b", character_set_server="utf8mb4", collation_server="y"),
    )
    assert outcome("charset-mismatch", *pair) == "clear"


def test_conversions_on_some_targets_are_found_and_on_all_are_not() -> None:
    a = facts("a", collation_connection="latin1_swedish_ci", collation_server="utf8mb4_bin")
    b = facts("b", collation_connection="utf8mb4_bin", collation_server="utf8mb4_bin")
    assert outcome("connection-collation-conversion", a, b) == "finding"
    assert outcome("connection-collation-conversion", a, a) == "clear"


DDL = (
    "CREATE TABLE `t` (`id` int(11) NOT NULL, `k` int(11) DEFAULT '0', "
    "PRIMARY KEY (`id`), KEY `k_1` (`k`)) ENGINE=InnoDB"
)


@pytest.mark.parametrize(
    "same",
    [
        DDL.replace("int(11)", "int").replace("'0'", "0"),
        DDL + " AUTO_INCREMENT=501 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        DDL.replace("PRIMARY KEY (`id`), KEY `k_1` (`k`)", "KEY `k_1` (`k`),\n  PRIMARY KEY (`id`)"),
        DDL.replace("InnoDB", "ROCKSDB"),
        DDL + " `PAGE_COMPRESSED`='1' ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8 COMPRESSION='lz4'",
    ],
)
def test_definitions_are_the_same_work_however_they_are_printed(same: str) -> None:
    assert normalised_ddl(DDL) == normalised_ddl(same)


def test_a_text_column_is_the_same_with_and_without_its_implied_default() -> None:
    mariadb = "CREATE TABLE `t` (`id` int(11) NOT NULL, `d` text DEFAULT NULL, `e` varchar(9) DEFAULT NULL)"
    mysql = "CREATE TABLE `t` (`id` int NOT NULL, `d` text, `e` varchar(9) DEFAULT NULL)"
    assert normalised_ddl(mariadb) == normalised_ddl(mysql)
    assert normalised_ddl(mysql) != normalised_ddl(mysql.replace("`d` text", "`d` text NOT NULL"))


def test_the_time_of_a_row_is_the_same_default_however_a_vendor_prints_it() -> None:
    mariadb = (
        "CREATE TABLE `t` (`at` timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(), "
        "`since` datetime(6) DEFAULT current_timestamp(6), `y` year(4) DEFAULT NULL)"
    )
    mysql = (
        "CREATE TABLE `t` (`at` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, "
        "`since` datetime(6) DEFAULT CURRENT_TIMESTAMP(6), `y` year DEFAULT NULL)"
    )
    assert normalised_ddl(mariadb) == normalised_ddl(mysql)
    assert normalised_ddl(mysql) != normalised_ddl(mysql.replace(" ON UPDATE CURRENT_TIMESTAMP", ""))


def test_partitions_are_compared_however_a_vendor_prints_them() -> None:
    columns = "CREATE TABLE `l` (\n  `id1` bigint{0} NOT NULL DEFAULT {1},\n  PRIMARY KEY (`id1`)\n) ENGINE=InnoDB"
    mariadb = columns.format("(20)", "0") + " DEFAULT CHARSET=latin1\n PARTITION BY KEY (`id1`)\nPARTITIONS 16"
    mysql = columns.format("", "'0'") + " DEFAULT CHARSET=latin1\n/*!50100 PARTITION BY KEY (id1)\nPARTITIONS 16 */"
    assert normalised_ddl(mariadb) == normalised_ddl(mysql)
    assert normalised_ddl(mysql) != normalised_ddl(mysql.replace("16 */", "8 */"))
    ranges = " PARTITION BY RANGE (`id1`)\n(PARTITION p0 VALUES LESS THAN (5) ENGINE = {0},\n"
    ranges += " PARTITION p1 VALUES LESS THAN (9) ENGINE = {0})"
    old, new = (columns.format("", "0") + ranges.format(engine) for engine in ("InnoDB", "ROCKSDB"))
    assert normalised_ddl(old) == normalised_ddl(new)
    assert normalised_ddl(old) != normalised_ddl(old.replace("(9)", "(8)"))


@pytest.mark.parametrize(
    ("version", "one", "other", "wanted"),
    [
        (MYSQL_8_4, " ROW_FORMAT=COMPACT", "", "finding"),
        (MYSQL_8_4, " ROW_FORMAT=REDUNDANT", " ROW_FORMAT=DYNAMIC", "finding"),
        (MYSQL_8_4, " ROW_FORMAT=DYNAMIC", "", "clear"),
        ("5.6.51", " ROW_FORMAT=COMPACT", "", "clear"),
        (MYSQL_8_4, " ROW_FORMAT=COMPRESSED", "", "clear"),
        (MYSQL_8_4, " KEY_BLOCK_SIZE=8", " ROW_FORMAT=DYNAMIC", "clear"),
    ],
)
def test_row_formats_that_a_definition_names_are_compared(version: str, one: str, other: str, wanted: str) -> None:
    pair = (with_facts(name, version, schema={"ddl": {"t": DDL + more}}) for name, more in (("a", one), ("b", other)))
    assert outcome("schema-ddl-mismatch", *pair) == wanted


def test_a_row_format_is_no_matter_of_another_storage_engine() -> None:
    named = with_facts("a", schema={"ddl": {"t": DDL + " ROW_FORMAT=COMPACT"}})
    rocksdb = with_facts("b", MARIADB_11_8, storage_engine="rocksdb", schema={"ddl": {"t": DDL}})
    assert outcome("schema-ddl-mismatch", named, rocksdb) == "clear"
    old_default = with_facts("b", "5.6.51", schema={"ddl": {"t": DDL}})
    assert outcome("schema-ddl-mismatch", with_facts("a", schema={"ddl": {"t": DDL}}), old_default) == "clear"


def test_only_what_differs_of_definitions_is_told() -> None:
    more = DDL.replace("KEY `k_1` (`k`)", "KEY `k_1` (`k`), KEY `k_2` (`k`,`id`)")
    pair = with_facts("a", schema={"ddl": {"t": DDL}}), with_facts("b", schema={"ddl": {"t": more}})
    (finding,) = found(audited(*pair), "schema-ddl-mismatch")
    assert re.fullmatch(
        r"t: key k_2 \(k,id\) \(b\), [^()]+ \(a\)", what(finding).removeprefix(f"{finding.rule.title}: ")
    )


def test_options_that_a_storage_engine_defines_are_no_other_keys_than_another_engine_has() -> None:
    own = DDL.replace("InnoDB", "TidesDB") + " `SYNC_MODE`='INTERVAL' `SYNC_INTERVAL_US`=1000000 `COMPRESSION`='NONE'"

    def tidesdb(name: str, ddl: str) -> TargetFacts:
        return with_facts(name, MARIADB_11_8, storage_engine="tidesdb", schema={"ddl": {"t": ddl}})

    innodb = with_facts("a", MARIADB_11_8, schema={"ddl": {"t": DDL}})
    assert outcome("schema-ddl-mismatch", innodb, tidesdb("b", own)) == "clear"
    assert outcome("schema-ddl-mismatch", innodb, tidesdb("b", own), tidesdb("c", own)) == "clear"
    other = tidesdb("c", own.replace("INTERVAL'", "NONE'"))
    told = [what(finding) for finding in found(audited(innodb, tidesdb("b", own), other), "schema-ddl-mismatch")]
    assert len(told) == 1 and "sync_mode='interval'" in told[0] and "sync_mode='none'" in told[0]
    missing = own.replace(", KEY `k_1` (`k`)", "")
    assert outcome("schema-ddl-mismatch", innodb, tidesdb("b", missing)) == "finding", "keys are still compared"


def test_another_key_is_another_definition() -> None:
    more = DDL.replace("KEY `k_1` (`k`)", "KEY `k_1` (`k`), CONSTRAINT `f` FOREIGN KEY (`k`) REFERENCES `u` (`id`)")
    pair = with_facts("a", schema={"ddl": {"t": DDL}}), with_facts("b", schema={"ddl": {"t": more}})
    assert outcome("schema-ddl-mismatch", *pair) == "finding"
    assert outcome("schema-ddl-mismatch", pair[0], facts("b")) == "undecided"


def test_sizes_are_compared_where_the_rows_are_equal() -> None:
    def sized(name: str, size: int, rows: int) -> TargetFacts:
        return with_facts(name, schema={"data_bytes": size, "row_count": rows})

    assert outcome("data-volume-mismatch", sized("a", 100, 9), sized("b", 111, 9)) == "finding"
    assert outcome("data-volume-mismatch", sized("a", 100, 9), sized("b", 110, 9)) == "clear"
    assert outcome("data-volume-mismatch", sized("a", 100, 9), sized("b", 200, 18)) == "clear"
    result = audited(sized("a", 300 << 20, 9), sized("b", 1 << 30, 9))
    (finding,) = found(result, "data-volume-mismatch")
    assert what(finding) == f"{finding.rule.title}: 300 MiB (a), 1 GiB (b)"


def test_sizes_that_read_the_same_are_told_apart_by_their_bytes() -> None:
    left, right = (
        with_facts(name, schema={"data_bytes": size, "row_count": 9}) for name, size in (("a", 100), ("b", 300 << 20))
    )
    finding = found(audited(left, right), "data-volume-mismatch")[0]
    alike = replace(finding, values={"314572800": ("a",), "314572801": ("b",)})
    assert what(alike) == f"{alike.rule.title}: 300 MiB (314572800) (a), 300 MiB (314572801) (b)"


def test_compression_is_told_by_the_ddl_else_by_differing_defaults() -> None:
    plain = with_facts("a", schema={"ddl": {"t": DDL}})
    packed = with_facts("b", schema={"ddl": {"t": DDL + " ROW_FORMAT=COMPRESSED"}})
    assert outcome("compression-mismatch", plain, packed) == "finding"
    defaults = facts("a", MARIADB_11_8, innodb_compression_default="ON"), facts("b", MYSQL_8_4)
    assert verdict("compression-mismatch", *defaults).certainty == "inferred"
    assert outcome("compression-mismatch", facts("a"), facts("b")) == "undecided"


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        (" ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=4", " ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8", "finding"),
        (" ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8", " ROW_FORMAT=COMPRESSED", "clear"),
        (" KEY_BLOCK_SIZE=8", "", "finding"),
        (" KEY_BLOCK_SIZE=8", " ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8", "clear"),
        (" ROW_FORMAT=DYNAMIC KEY_BLOCK_SIZE=8", " ROW_FORMAT=DYNAMIC", "clear"),
    ],
)
def test_the_blocks_of_compressed_tables_are_compared(one: str, other: str, wanted: str) -> None:
    pair = (with_facts(name, schema={"ddl": {"t": DDL + more}}) for name, more in (("a", one), ("b", other)))
    assert outcome("compression-mismatch", *pair) == wanted
