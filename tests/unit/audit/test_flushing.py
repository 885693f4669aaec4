"""Background writing."""

from __future__ import annotations

from audit_cases import (
    MARIADB_11_8,
    facts,
    outcome,
    verdict,
)
from dbdyno.audit import TargetFacts


def test_neighbours_are_flushed_on_rotational_devices_only() -> None:
    a, b = facts("a", innodb_flush_neighbors="1"), facts("b", innodb_flush_neighbors="0")
    assert verdict("flush-neighbors-on-flash", a, b).values == {"0": ("b",), "1": ("a",)}
    spinning = facts("a", more={"host": {"rotational": True}}, innodb_flush_neighbors="1")
    assert outcome("flush-neighbors-on-flash", spinning, spinning) == "clear"
    assert outcome("flush-neighbors-on-flash", spinning, b) == "finding"


def test_a_page_engine_beside_an_lsm_engine_may_hold_dirty_pages() -> None:
    low = {"innodb_max_dirty_pages_pct": "1", "innodb_max_dirty_pages_pct_lwm": "0.1"}
    pages = facts("a", MARIADB_11_8, more={"storage_engine": "innodb"}, **low)
    lsm = facts("b", MARIADB_11_8, more={"storage_engine": "tidesdb"})
    assert verdict("dirty-limit-crippling", pages, lsm).values == {"max 1, lwm 0.1": ("a",)}
    assert verdict("dirty-limit-crippling", pages, lsm).severity is None
    assert verdict("dirty-limit-crippling", pages).severity == "high"
    old = {"innodb_max_dirty_pages_pct": "75", "innodb_max_dirty_pages_pct_lwm": "0.001000"}
    by_default = facts("a", "10.1.48-MariaDB", more={"storage_engine": "innodb"}, **old)
    assert outcome("dirty-limit-crippling", by_default, lsm) == "clear"


def test_native_aio_that_is_off_unasked_is_found() -> None:
    off = facts("a", more={"option_file": {}}, innodb_use_native_aio="OFF")
    assert outcome("native-aio-not-effective", off) == "finding"
    wanted = facts("a", more={"option_file": {"innodb_use_native_aio": "0"}}, innodb_use_native_aio="OFF")
    assert outcome("native-aio-not-effective", wanted) == "clear"
    uring = facts("a", MARIADB_11_8, more={"option_file": {}}, innodb_use_native_aio="ON", innodb_linux_aio="io_uring")
    mysql = facts("b", more={"option_file": {}}, innodb_use_native_aio="ON")
    assert set(verdict("native-aio-not-effective", uring, mysql).values) == {"io_uring", "libaio"}


def test_the_io_budget_is_held_against_the_calibrated_device() -> None:
    def one(rate: int | None) -> TargetFacts:
        host = {"host": {"device_random_write_iops": rate}} if rate else {}
        return facts("a", more=host, innodb_io_capacity="2500", innodb_io_capacity_max="5000")

    outcomes = [outcome("io-capacity-vs-device", one(rate)) for rate in (None, 4000, 6000, 50000)]
    assert outcomes == ["undecided", "finding", "clear", "finding"]
