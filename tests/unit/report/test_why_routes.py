"""What the network adds, on planted times: each statement takes a round trip more, and that is what is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbdyno.core import Run
from dbdyno.plan import ordered_runs
from dbdyno.report import analyse_study, markdown_text, page_text, summary_json, why_object, why_of
from dbdyno.study import parse_study
from explained_study import STATEMENTS, PlantedTimes

ROUND_TRIP_MS = 0.8
HOST = '\n[hosts.db1]\nssh = "bench@db1"\naddress = "10.1.0.2"\n[bench.a]\nserver = "db1"\n'


class FarTimes(PlantedTimes):
    """Over the network each statement takes a round trip more."""

    def times_ms(self, run: Run) -> dict[str, float]:
        times = super().times_ms(run)
        far = {"network": ROUND_TRIP_MS, "wan": 5 * ROUND_TRIP_MS}.get(run.cell.route, 0.0)
        return {name: ms + far for name, ms in times.items()}


def _planted(routes: str) -> FarTimes:
    planted = FarTimes({"mysql:9.7": {"commit": 1.5}}, repeats=4)
    planted.text = planted.text.replace("[axes]", f"[axes]\nroute = {routes}") + HOST
    return planted


def test_the_network_adds_a_round_trip_for_each_statement(tmp_path: Path) -> None:
    results = _planted('["loopback", "network"]').write(tmp_path / "far")
    analysis = analyse_study(results)
    why = why_of(analysis)
    assert {gap.left.route for gap in why.routes} == {"loopback"}
    assert len(why.routes) == 6 and all(gap.is_decided and gap.is_paired for gap in why.routes)
    statements = sum(count for count, _ in STATEMENTS.values())
    for gap in why.routes:
        assert gap.total.ms == pytest.approx(statements * ROUND_TRIP_MS, rel=0.1)
        assert gap.parts[0].part_id == "statement.point_select"
    found = json.loads(json.dumps(why_object(analysis, why), allow_nan=False))
    assert len(found["routes"]) == 6
    assert "Over the network" in markdown_text(results) and "Over the network" in page_text(results)


def test_a_shaped_network_is_told_by_its_name_and_what_it_is(tmp_path: Path) -> None:
    planted = _planted('["loopback", "wan"]')
    planted.text += '[routes.wan]\nrtt = "4ms"\n'
    results = planted.write(tmp_path / "wan")
    why = why_of(analyse_study(results))
    assert {(gap.left.route, gap.right.route) for gap in why.routes} == {("loopback", "wan")}
    text = markdown_text(results)
    assert "over wan +" in text and "shaped routes: wan: network with 4 ms of round trip added" in text
    assert "wan: network with 4 ms of round trip added" in page_text(results)
    assert summary_json(results)["shaped_routes"] == [{"name": "wan", "rtt_ns": 4_000_000, "rate_bits_per_s": None}]


def test_without_a_network_nothing_is_said_of_it(tmp_path: Path) -> None:
    results = _planted('["socket", "loopback"]').write(tmp_path / "near")
    assert why_of(analyse_study(results)).routes == ()


def test_routes_of_a_place_are_neighbours_where_one_is_a_network() -> None:
    study = parse_study(_planted('["loopback", "network"]').text, "far")
    runs = ordered_runs(study)
    for start in range(0, len(runs), 4):
        block = runs[start : start + 4]
        assert len({(run.cell.tier_bytes, run.cell.concurrency, run.repeat) for run in block}) == 1
        assert {(run.cell.target, run.cell.route) for run in block} == {
            (target, route) for target in ("mariadb:11.8", "mysql:9.7") for route in ("loopback", "network")
        }
    assert len({runs[start].cell.route for start in range(0, len(runs), 4)}) == 2
