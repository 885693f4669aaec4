"""A study at one of its scales: what is replaced, what stays, and what is refused."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from dbdyno.core import StudyError
from dbdyno.study import HostChoice, parse_study, read_study, study_text

STUDIES = sorted((Path(__file__).parents[3] / "studies").glob("*.toml"))
OUR_OWN = ("first", "engines-2026", "tpcc-2026", "linkbench-2026")
BIG = """
question = "Which?"
targets = ["mariadb:10.11.16", "mysql:8.0.45", "percona:8.4.7"]

[[workload]]
name = "sysbench/oltp_read_write"
tables = 20
rows = 5000000

[[workload]]
name = "tpcc/standard"
warehouses = 100

[axes]
tier = ["2GB", "12GB"]
concurrency = [1, 512]
route = "loopback"

[scale.small]
targets = ["mariadb:10.11"]
axes = {tier = "64MB", concurrency = 4}
measure = {window = "10s"}

[scale.small.workload]
rows = 1000
warehouses = 1
"""


def test_a_scale_replaces_what_it_names_and_leaves_the_rest() -> None:
    small = parse_study(BIG, "big.toml", "small")
    assert (small.name, small.scaled, small.question) == ("big-small", "small", "Which?")
    assert [target.name for target in small.targets] == ["mariadb:10.11"]
    assert (small.tiers_bytes, small.concurrencies, small.routes) == ((64 << 20,), (4,), ("loopback",))
    assert small.window_ns == 10 * 10**9
    assert [dict(choice.options) for choice in small.workloads] == [
        {"tables": 20, "table_size": 1000},
        {"warehouses": 1},
    ]


def test_a_scale_may_ask_its_own_question() -> None:
    text = BIG.replace("[scale.small]", '[scale.small]\nquestion = "Which of the small?"')
    assert parse_study(text, "big.toml", "small").question == "Which of the small?"
    assert parse_study(text, "big.toml").question == "Which?"


def test_without_a_scale_the_study_is_read_at_its_own() -> None:
    big = parse_study(BIG, "big.toml")
    assert (big.name, big.scaled, len(big.targets)) == ("big", "", 3)
    assert big.tiers_bytes == (2 << 30, 12 << 30)


def test_a_scaled_study_that_was_written_says_so_when_it_is_read_again() -> None:
    small = parse_study(BIG, "big.toml", "small")
    again = parse_study(study_text(small), "other.toml")
    assert again == small
    assert again.scaled == "small"


NETWORK = """
[scale.far]
axes = {route = ["loopback", "wan"]}
bench.a = {server = "db1"}
routes.wan = {rtt = "10ms"}
[scale.far.hosts.db1]
ssh = "bench@db1"
address = "10.1.0.2"
"""


def test_a_scale_may_run_its_servers_on_hosts_and_is_no_smaller_for_that() -> None:
    far = parse_study(BIG + NETWORK, "big.toml", "far")
    (bench,) = far.benches
    assert bench.server == HostChoice("db1", "bench@db1", "10.1.0.2")
    assert far.routes == ("loopback", "wan") and [route.name for route in far.shaped_routes] == ["wan"]
    assert (far.name, far.scaled, len(far.targets)) == ("big-far", "", 3)
    assert parse_study(BIG + NETWORK + "[scale.far.measure]\nseed = 7\n", "big.toml", "far").scaled == "far"
    assert not parse_study(BIG + NETWORK, "big.toml").benches


def test_hosts_of_a_scale_stand_for_those_of_the_study() -> None:
    near = '[hosts.old]\n[bench.b]\nserver = "old"\n'
    (bench,) = parse_study(BIG + near + NETWORK, "big.toml", "far").benches
    assert (bench.name, bench.words) == ("a", "db1 (bench@db1)")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('server = "db1"', 'server = "db2"'), "db2"),
        (('address = "10.1.0.2"\n', ""), "address"),
        (("bench.a = ", "bench.a.b = "), "unknown key 'b'"),
        (("bench.a = ", "bench = 3\nroutes.a = "), "bench"),
    ],
)
def test_hosts_of_a_scale_are_checked_as_those_of_a_study(change: tuple[str, str], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        parse_study(BIG + NETWORK.replace(*change), "big.toml", "far")


def test_hosts_can_be_replaced_when_a_study_is_read() -> None:
    places = {"hosts": {"mine": {"ssh": "me@mine", "address": "10.2.0.1"}}, "bench": {"z": {"server": "mine"}}}
    study = parse_study(BIG + NETWORK, "big.toml", "far", places)
    assert [bench.words for bench in study.benches] == ["mine (me@mine)"]
    assert parse_study(study_text(study), "other.toml") == study


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("[scale.small]", "[scale.tiny]"), "'small'.*: tiny"),
        (("[scale.small]", "[scale.small]\nwindow = 3"), r"'window' in \[scale.small\]"),
        (("rows = 1000\n", "nodes = 5\n"), "'nodes'"),
        (('measure = {window = "10s"}', 'measure = {windw = "10s"}'), "windw"),
        (("[scale.small]", "[scale]\nsmall = 3\n[other]"), "scale is not a table"),
    ],
)
def test_what_can_not_be_scaled_is_refused(change: tuple[str, str], words: str) -> None:
    text = BIG if "nodes" in change[1] else BIG.split("[scale.small.workload]")[0]
    with pytest.raises(StudyError) as error:
        parse_study(text.replace(*change), "big.toml", "small")
    message = f"{error.value.what} {error.value.why}"
    assert re.search(words, message), message


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_scale_of_every_shipped_study_reads_and_survives_being_written(path: Path) -> None:
    for scale in tomllib.loads(path.read_text()).get("scale", {}):
        study = read_study(path, scale)
        assert parse_study(study_text(study), "other.toml") == study


def test_the_published_studies_have_a_small_scale() -> None:
    published = [path for path in STUDIES if path.stem not in OUR_OWN]
    assert len(published) == 6, "five reports, one of them with two workloads"
    assert all("small" in tomllib.loads(path.read_text())["scale"] for path in published)


def test_a_scale_that_fixes_a_length_leaves_out_what_belonged_to_the_open_one() -> None:
    text = """
    targets = ["mysql:9.7"]
    workload.name = "oltp_read_only"
    axes = {tier = "64MB", concurrency = [1, 4]}
    [measure]
    warm_up = "auto"
    warm_up_max = "600s"
    window = "auto"
    window_max = "600s"
    target_half_width = 0.03
    restore = "ladder"
    step_warm_up = "30s"
    repeats_max = 4
    [scale.small.measure]
    warm_up = "5s"
    window = "10s"
    restore = "run"
    repeats = 1
    """
    found = parse_study(text, "example.toml", "small")
    assert not found.adaptive_length
    assert (found.restore, found.repeats, found.repeats_max) == ("run", 1, None)
