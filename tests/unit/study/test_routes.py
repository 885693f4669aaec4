"""Shaped routes of a study file: read, written, refused where they can't work."""

from __future__ import annotations

import re

import pytest

from dbdyno.core import StudyError
from dbdyno.plan import ordered_runs
from dbdyno.study import RouteChoice, parse_study, study_text

HEAD = """\
targets = ["mysql:9.7"]
workload.name = "oltp_read_only"
[axes]
tier = "64MB"
concurrency = 4
route = ["loopback", "network", "wan"]
"""
HOST = """\
[hosts.db1]
ssh = "bench@db1"
address = "10.1.0.2"
sudo = ["shape"]
[bench.a]
server = "db1"
"""
WAN = '[routes.wan]\nrtt = "10ms"\nrate = "1Gbit"\n'


def test_a_shaped_route_is_read_and_written() -> None:
    study = parse_study(HEAD + HOST + WAN, "x.toml")
    assert study.shaped_routes == (RouteChoice("wan", 10_000_000, 10**9),)
    assert study.benches[0].server is not None and study.benches[0].server.sudo == ("shape",)
    assert parse_study(study_text(study), "y.toml") == study
    assert re.search(r" network and wan .* 10\.1\.0\.2$", study.bench_words)
    assert {run.cell.route for run in ordered_runs(study)} == {"loopback", "network", "wan"}


@pytest.mark.parametrize(
    ("text", "shaped"),
    [
        ('rtt = "0.5ms"\n', RouteChoice("wan", 500_000)),
        ('rate = "2.5Gbit/s"\n', RouteChoice("wan", 0, 2_500_000_000)),
        ('rate = "1500kbit"\n', RouteChoice("wan", 0, 1_500_000)),
        ('rate = "1.5445Mbit"\n', RouteChoice("wan", 0, 1_544_500)),
        ('rate = "33.3333333Mbit"\n', RouteChoice("wan", 0, 33_333_333)),
        ('rate = "1544500bit"\n', RouteChoice("wan", 0, 1_544_500)),  # as earlier versions stored it
    ],
)
def test_either_of_delay_and_rate_is_enough(text: str, shaped: RouteChoice) -> None:
    study = parse_study(HEAD + HOST + "[routes.wan]\n" + text, "x.toml")
    assert study.shaped_routes == (shaped,)
    assert parse_study(study_text(study), "y.toml") == study


def test_without_shaped_routes_nothing_of_them_is_written() -> None:
    text = study_text(parse_study(HEAD.replace(', "wan"', "") + HOST.replace('sudo = ["shape"]\n', ""), "x.toml"))
    assert "routes" not in text and "sudo" not in text


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEAD + HOST, 6, "'wan'"),
        (HEAD.replace("wan", "wna") + HOST + WAN, 6, "'wna'"),
        (HEAD.replace(', "wan"', "") + HOST + WAN, 14, r"\[routes.wan\]"),
        (HEAD + WAN, 6, "'network'"),
        (HEAD.replace(', "network"', "") + WAN, 6, "'wan'"),
        (HEAD.replace(', "network"', "") + HOST.replace('address = "10.1.0.2"\n', "") + WAN, 8, "address"),
        (HEAD + HOST.replace("10.1.0.2", "fd00::2") + WAN, 9, "IPv4"),
        (HEAD + HOST + "[routes.wan]\n", 13, "network"),
        (HEAD + HOST + WAN.replace("10ms", "0ms"), 14, "'rtt' is '0ms' .* from"),
        (HEAD + HOST + WAN.replace("10ms", "ten"), 14, "'rtt' is"),
        (HEAD + HOST + WAN.replace("1Gbit", "0Gbit"), 15, "'rate' is '0Gbit' .* from"),
        (HEAD + HOST + WAN.replace("1Gbit", "1GB"), 15, "'rate' is"),
        (HEAD + HOST + WAN + "[routes.loopback]\nrtt = '1ms'\n", 17, "loopback"),
        (HEAD.replace("wan", "W/N") + HOST, 6, "'W/N'"),
        (HEAD + HOST + WAN.replace("rtt", "rrt"), 14, "'rrt'"),
    ],
)
def test_what_can_not_work_is_refused_at_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(StudyError, match=words) as caught:
        parse_study(text, "x.toml")
    assert caught.value.what.startswith(f"x.toml:{line}: ")


def test_the_nearest_route_is_named() -> None:
    with pytest.raises(StudyError) as caught:
        parse_study(HEAD.replace("wan", "wna") + HOST + WAN, "x.toml")
    assert "'wan'" in caught.value.remedy and '"loopback"' in caught.value.why
