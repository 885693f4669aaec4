"""Limits and caches of handles."""

from __future__ import annotations

from audit_cases import (
    MARIADB_11_8,
    facts,
    outcome,
    verdict,
    with_facts,
)
from dbdyno.audit import TargetFacts
from numbers_in import numbers_in


def test_a_table_cache_that_grows_in_the_window_is_not_low() -> None:
    def one(name: str, cache: str, opened: str) -> TargetFacts:
        start, end = {"uptime": "100", "opened_tables": "10"}, {"uptime": "200", "opened_tables": opened}
        return facts(name, more={"status": start, "status_end": end}, table_open_cache=cache)

    assert verdict("table-cache-meaning", one("a", "2000", "11"), one("b", "4000", "11")).severity == "low"
    assert verdict("table-cache-meaning", one("a", "2000", "900"), one("b", "2000", "11")).severity is None


def test_lowered_instances_are_told_with_what_was_asked() -> None:
    more = {"option_file": {"table_open_cache_instances": "64"}, "status": {"table_open_cache_active_instances": "1"}}
    a = facts("a", MARIADB_11_8, more=more, table_open_cache_instances="2")
    b = facts("b", table_open_cache_instances="64")
    (found,) = verdict("table-cache-instances-lowered", a, b).values.items()
    assert (numbers_in(found[0]), found[1]) == ([64, 2, 1], ("a",))
    old = facts("c", "10.1.48-MariaDB")
    assert verdict("table-cache-instances-lowered", b, old).values == {"1": ("c",), "64": ("b",)}


def test_limits_are_held_against_the_largest_step() -> None:
    one = facts("a", max_connections="151", max_prepared_stmt_count="16382", open_files_limit="20000")
    assert outcome("limits-too-small", one) == "undecided"
    assert outcome("limits-too-small", one, study={"max_threads": 141}) == "clear"
    assert outcome("limits-too-small", one, study={"max_threads": 142}) == "finding"


def test_file_limits_of_the_variables_stand_in_for_the_processes() -> None:
    a, b = facts("a", open_files_limit="1024"), facts("b", open_files_limit="65535")
    assert verdict("ulimit-mismatch", a, b).certainty == "inferred"
    assert outcome("ulimit-mismatch", a, a) == "undecided"
    limited = tuple(with_facts(n, host={"proc_limits": {"Max open files": v}}) for n, v in (("a", "1024"), ("b", "9")))
    assert verdict("ulimit-mismatch", *limited).certainty == "read"


def test_limits_that_nobody_read_are_no_other_ones() -> None:
    read = with_facts("a", host={"proc_limits": {"Max open files": "1024"}, "cgroup": {"memory.max": "1073741824"}})
    unread = with_facts("b")
    assert verdict("ulimit-mismatch", read, unread).lacks.keys() == {"b"}
    assert outcome("ulimit-mismatch", read, unread) == "undecided"
    other = with_facts("c", host={"proc_limits": {"Max open files": "9"}, "cgroup": {}})
    result = verdict("ulimit-mismatch", read, unread, other)
    assert set(result.values) == {"host:proc_limits Max open files", "host:cgroup memory.max"}
    assert set(result.lacks) == {"b"}
