"""The study of a deep profile: two cells, once each; servers that can't be profiled are refused by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.core import Cell, RequestError
from dbdyno.plan import DEEP_WINDOW_NS, deep_study, make_plan
from dbdyno.study import BenchChoice, FleetChoice, HostChoice, RouteChoice, Study, parse_study, study_text
from error_codes import raises_code

STUDY = """
name = "pair"
targets = ["mariadb:11.8", "mysql:9.7", "mysql@server:there"]
[servers.there]
host = "127.0.0.1"
port = 3306
user = "bench"
[workload]
name = "sysbench/oltp_read_write"
[axes]
tier = ["64MB", "512MB"]
concurrency = [1, 16]
[measure]
warm_up = "120s"
window = "900s"
repeats = 4
"""


@pytest.fixture
def study() -> Study:
    return parse_study(STUDY, "pair")


def cell(target: str) -> Cell:
    return Cell(target, 64 << 20, 16, "sysbench/oltp_read_write", "socket")


def test_it_has_the_two_cells_once_and_can_be_run(study: Study) -> None:
    found = deep_study(study, cell("mariadb:11.8"), cell("mysql:9.7"))
    read = parse_study(study_text(found), "deep")
    assert {run.cell for run in make_plan(read).runs} == {cell("mariadb:11.8"), cell("mysql:9.7")}
    assert len(make_plan(read).runs) == 2
    assert (read.window_ns, read.warm_up_ns) == (DEEP_WINDOW_NS, 30 * 10**9)


def test_it_leaves_out_what_only_other_cells_use(study: Study) -> None:
    shaped = replace(study, routes=("socket", "wan"), shaped_routes=(RouteChoice("wan", 10**7),))
    host = HostChoice("db1", "bench@db1", "10.1.0.2")
    shaped = replace(shaped, benches=(BenchChoice("a", host, (HostChoice("c1", "bench@c1"),)),))
    found = deep_study(shaped, cell("mariadb:11.8"), cell("mysql:9.7"))
    assert (found.shaped_routes, found.benches) == ((), (BenchChoice("a", host),))


@pytest.mark.parametrize("window_ns", [0, 10**9, 25 * 10**8])
def test_a_window_that_no_study_file_may_have_is_refused(study: Study, window_ns: int) -> None:
    with pytest.raises(RequestError):
        deep_study(study, cell("mariadb:11.8"), cell("mysql:9.7"), window_ns)


def test_servers_of_others_and_one_target_alone_are_refused(study: Study) -> None:
    there = replace(cell("mysql:9.7"), target=study.targets[2].name)
    with raises_code(RequestError, "not-ours", there.target):
        deep_study(study, cell("mariadb:11.8"), there)
    with raises_code(RequestError, "one-target", "mysql:9.7"):
        deep_study(study, cell("mysql:9.7"), replace(cell("mysql:9.7"), concurrency=1))


def test_servers_of_several_benches_are_profiled_on_the_first_and_those_of_a_cluster_nowhere(study: Study) -> None:
    benches = tuple(BenchChoice(name, HostChoice(name, f"bench@{name}")) for name in ("a", "b"))
    spread = replace(study, benches=benches)
    found = deep_study(spread, cell("mariadb:11.8"), cell("mysql:9.7"))
    assert found.bench == benches[0]
    with raises_code(RequestError, "on-ray"):
        deep_study(replace(spread, fleet=FleetChoice("ray")), cell("mariadb:11.8"), cell("mysql:9.7"))
