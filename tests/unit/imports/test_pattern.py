"""The language of naming patterns."""

from __future__ import annotations

import pytest

from dbdyno.core import TreeError
from dbdyno.imports import compile_pattern, read_given
from dbdyno.imports._fields import route_of
from dbdyno.imports._run import RunHeader


@pytest.mark.parametrize(
    ("pattern", "path", "fields"),
    [
        (
            "Tier{tier}_{workload}_{threads}th...",
            "a/Tier32G_RW_16th.sysbench.txt",
            {"tier": "32G", "workload": "RW", "threads": "16"},
        ),
        ("Tier{tier}G_*_{threads}th*", "Tier2G_x_y_1th", {"tier": "2G", "threads": "1"}),
        ("bp{tier:GB}/{users}.log", "x/bp25/64.log.gz", {"tier": "25GB", "threads": "64"}),
        (
            "{engine}-{version}/{io}_{threads}",
            "mysql-8.0.21/io5000_4",
            {"engine": "mysql", "version": "8.0.21", "io": "io5000", "threads": "4"},
        ),
        ("{memory}MB_{concurrency}.txt", "512MB_8.txt", {"tier": "512MB", "threads": "8"}),
        ("a.b+(c)_{threads}", "x/a.b+(c)_7", {"threads": "7"}),
        ("{engine}/*/{threads}.log", "pg/2024-01-01/3.log", {"engine": "pg", "threads": "3"}),
    ],
)
def test_fields_are_found_at_the_end_of_a_path(pattern: str, path: str, fields: dict[str, str]) -> None:
    found = compile_pattern(pattern).match(path)
    assert found is not None
    assert {name: found[name] for name in fields} == fields


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("Tier{tier}_{threads}th", "Tier2G_xth"),
        ("{threads}.log", "a16.log"),
        ("a/{threads}.log", "b/16.log"),
        ("{target}.log", "a/b.txt"),
        ("a.b", "aXb"),
    ],
)
def test_what_does_not_fit_gives_nothing(pattern: str, path: str) -> None:
    assert compile_pattern(pattern).match(path) is None


@pytest.mark.parametrize("pattern", ["", "{threads}_{threads}", "{threads", "threads}", "{1x}", "{tier:XB}", "{}"])
def test_a_wrong_pattern_is_refused_with_a_remedy(pattern: str) -> None:
    with pytest.raises(TreeError) as refused:
        compile_pattern(pattern)
    assert refused.value.remedy


@pytest.mark.parametrize("pair", ["route", "route=", "colour=red", "tier=25", "threads=x", "threads=0", "route=moon"])
def test_a_wrong_field_is_refused(pair: str) -> None:
    with pytest.raises(TreeError):
        read_given([pair])


def test_a_pattern_takes_no_time_on_a_long_path() -> None:
    pattern = compile_pattern("{a}_{b}_{c}_{d}_{threads}.log")
    assert pattern.match("x_" * 120 + ".log") is None


@pytest.mark.parametrize(
    ("options", "route"),
    [
        ({"mysql_host": "localhost"}, "socket"),
        ({"mysql_host": "127.0.0.1"}, "loopback"),
        ({"mysql_host": "::1,127.0.0.1"}, "loopback"),
        ({"mysql_host": "localhost,127.0.0.1"}, "unknown"),
        ({"mysql_host": "127.0.0.1,10.0.0.9"}, "network"),
        ({"mysql_host": "127.0.0.1", "mysql_socket": "/tmp/s"}, "socket"),
        ({"mysql_host": ""}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_a_route_is_what_the_client_library_makes_of_the_host(options: dict[str, str], route: str) -> None:
    """A list of sockets counts before hosts in sysbench; localhost is one of them, by no port."""
    assert route_of({}, RunHeader("1.0.20", options=options)) == route
