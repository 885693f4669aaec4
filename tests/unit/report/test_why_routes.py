"""What the network adds, on planted times: each statement takes a round trip more, and that is what is told."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.core import Run
from dbdyno.plan import PartOfStudy, ordered_runs, runs_of_part
from dbdyno.report import StudyAnalysis, analyse_study, markdown_text, page_text, summary_json, why_object, why_of
from dbdyno.store import JsonValue, StoredRun
from dbdyno.study import parse_study
from explained_study import LAST_PLACE, SIX_PLACES, STATEMENTS, PlantedTimes

ROUND_TRIP_MS = 0.8
BYTES, RATE = 12_000, 100e6
HOST = '\n[hosts.db1]\nssh = "bench@db1"\naddress = "10.1.0.2"\n[bench.a]\nserver = "db1"\n'


class FarTimes(PlantedTimes):
    """Over the network each statement takes a round trip more."""

    tells_network = True
    rate: float | None = RATE
    hosts: dict[str, int] | None = None
    """Shortest round trip from each load host to the server, in nanoseconds."""

    def times_ms(self, run: Run) -> dict[str, float]:
        times = super().times_ms(run)
        far = {"network": ROUND_TRIP_MS, "wan": 5 * ROUND_TRIP_MS}.get(run.cell.route, 0.0)
        return {name: ms + far for name, ms in times.items()}

    def stored(self, run: Run) -> StoredRun:
        """With what the load generator tells of the network, and the bytes of each transaction."""
        stored = super().stored(run)
        if run.cell.route == "loopback" or not self.tells_network:
            return stored
        path = {"median_round_trip_ns": round(ROUND_TRIP_MS * 1e6), "least_round_trip_ns": 700_000, "connections": 1}
        seconds = [
            replace(row, bytes_sent=round(row.tps * BYTES / 4), bytes_received=round(row.tps * BYTES * 3 / 4))
            for row in stored.seconds
        ]
        telemetry = {"network": {"round_trip_ns": 900_000, "reply_bits_per_s": self.rate}} if self.rate else {}
        if self.hosts:
            telemetry = _of_load_hosts(self.hosts, is_shaped=run.cell.route == "wan")
        return replace(stored, seconds=seconds, start={"network": path}, telemetry_facts=telemetry)


def _of_load_hosts(hosts: dict[str, int], *, is_shaped: bool) -> dict[str, JsonValue]:
    added_ns = 4_000_000 if is_shaped else 0
    rows = {name: {"round_trip_ns": ns + added_ns, "reply_bits_per_s": RATE} for name, ns in hosts.items()}
    telemetry: dict[str, JsonValue] = {"network": {"reply_bits_per_s": RATE, "hosts": {**rows}}}
    unshaped = {name: {**rows[name], "round_trip_unshaped_ns": ns} for name, ns in hosts.items()}
    return telemetry | ({"shaping": {"route": "wan", "hosts": {**unshaped}}} if is_shaped else {})


def _planted(routes: str, axes: str = LAST_PLACE) -> FarTimes:
    planted = FarTimes({"mysql:9.7": {"commit": 1.5}}, repeats=4, axes=f"route = {routes}\n{axes}")
    planted.text += HOST
    return planted


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> StudyAnalysis:
    return analyse_study(_planted('["loopback", "network"]', SIX_PLACES).write(tmp_path_factory.mktemp("why") / "far"))


def test_the_network_adds_a_round_trip_for_each_statement(analysis: StudyAnalysis) -> None:
    why = why_of(analysis)
    assert {gap.left.route for gap in why.routes} == {"loopback"}
    assert len(why.routes) == 6 and all(gap.is_decided and gap.is_paired for gap in why.routes)
    statements = sum(count for count, _ in STATEMENTS.values())
    for gap in why.routes:
        assert gap.total.ms == pytest.approx(statements * ROUND_TRIP_MS, rel=0.1)
        assert gap.parts[0].part_id == "statement.point_select"
    found = json.loads(json.dumps(why_object(analysis, why), allow_nan=False))
    assert len(found["routes"]) == 6
    texts = markdown_text(analysis.results), page_text(analysis.results)
    assert all("Over the network" in text for text in texts)


def test_the_network_s_part_of_the_time_is_round_trips_and_transmission(analysis: StudyAnalysis) -> None:
    why = why_of(analysis)
    near_ms = {gap.right: gap.total.left_ms for gap in why.routes}
    statements = sum(count for count, _ in STATEMENTS.values())
    assert len(why.network) == 6 and {time.cell for time in why.network} == near_ms.keys()
    for time in why.network:
        assert time.round_trips == pytest.approx(statements)
        assert time.waiting_ms == pytest.approx(statements * ROUND_TRIP_MS)
        assert time.transmission_ms == pytest.approx(1e3 * 8 * BYTES / RATE, rel=0.01)
        assert time.rest_ms + time.transmission_ms == pytest.approx(near_ms[time.cell], rel=0.05)
    found = json.loads(json.dumps(why_object(analysis, why), allow_nan=False))["network"]
    assert [row["network_share"] for row in found] == [time.network_share for time in why.network]
    assert f"{statements} × 0.8 ms" in markdown_text(analysis.results)
    assert "why-network" in page_text(analysis.results)


def test_a_table_without_the_rate_of_the_network_says_why(analysis: StudyAnalysis, tmp_path: Path) -> None:
    planted = _planted('["loopback", "network"]')
    planted.rate = None
    results = planted.write(tmp_path / "hosts")
    why = why_of(analyse_study(results))
    assert why.network and all(time.transmission_ms is None and time.rest_ms > 0 for time in why.network)
    words = "earlier versions did not measure it from load hosts"
    assert words in page_text(results) and words in markdown_text(results)
    assert words not in page_text(analysis.results)


def test_runs_that_do_not_tell_their_round_trip_have_no_part_of_the_network(tmp_path: Path) -> None:
    planted = _planted('["loopback", "network"]')
    planted.tells_network = False
    why = why_of(analyse_study(planted.write(tmp_path / "old")))
    assert why.routes and why.network == ()


def test_a_shaped_network_is_told_by_its_name_and_what_it_is(tmp_path: Path) -> None:
    planted = _planted('["loopback", "wan"]')
    planted.text += '[routes.wan]\nrtt = "4ms"\n'
    results = planted.write(tmp_path / "wan")
    why = why_of(analyse_study(results))
    assert {(gap.left.route, gap.right.route) for gap in why.routes} == {("loopback", "wan")}
    text = markdown_text(results)
    assert "over wan +" in text and re.search(r": wan: .*\b4 ms\b", text)
    assert re.search(r"\bwan: [^<]*\b4 ms\b", page_text(results))
    assert summary_json(results)["shaped_routes"] == [{"name": "wan", "rtt_ns": 4_000_000, "rate_bits_per_s": None}]


def test_transmission_over_a_shaped_rate_is_that_of_replies(tmp_path: Path) -> None:
    planted = _planted('["loopback", "network", "wan"]')
    planted.text += '[routes.wan]\nrate = "100Mbit"\n'
    why = why_of(analyse_study(planted.write(tmp_path / "wan")))
    both_ms = 1e3 * 8 * BYTES / RATE
    assert {time.cell.route for time in why.network} == {"network", "wan"}
    for time in why.network:
        share = 3 / 4 if time.cell.route == "wan" else 1  # the rate of the route does not hold back requests
        assert time.transmission_ms == pytest.approx(share * both_ms, rel=0.01)


def test_round_trips_are_told_for_each_load_host_and_route(tmp_path: Path) -> None:
    planted = _planted('["loopback", "network", "wan"]')
    planted.text = planted.text.replace('server = "db1"', 'server = "db1"\nclient = ["c1", "c2"]')
    planted.text += '[hosts.c1]\n[hosts.c2]\n[routes.wan]\nrtt = "4ms"\n'
    planted.hosts = {"c1": 200_000, "c2": 350_000}
    results = planted.write(tmp_path / "hosts")
    by_network, by_wan = (
        "network: c1 0.2 ms, c2 0.35 ms",
        "wan: c1 4.2 ms (0.2 ms unshaped), c2 4.35 ms (0.35 ms unshaped)",
    )
    for text in (markdown_text(results), page_text(results)):
        assert by_network in text and by_wan in text


def test_round_trips_of_this_machine_need_no_name(analysis: StudyAnalysis) -> None:
    assert ": network: 0.9 ms" in markdown_text(analysis.results)


def test_without_a_network_nothing_is_said_of_it(tmp_path: Path) -> None:
    results = _planted('["socket", "loopback"]').write(tmp_path / "near")
    assert why_of(analyse_study(results)).routes == ()


def test_routes_of_a_place_are_neighbours_where_one_is_a_network() -> None:
    study = parse_study(_planted('["loopback", "network"]', SIX_PLACES).text, "far")
    runs = ordered_runs(study)
    for start in range(0, len(runs), 4):
        block = runs[start : start + 4]
        assert len({(run.cell.tier_bytes, run.cell.concurrency, run.repeat) for run in block}) == 1
        assert {(run.cell.target, run.cell.route) for run in block} == {
            (target, route) for target in ("mariadb:11.8", "mysql:9.7") for route in ("loopback", "network")
        }
    assert len({runs[start].cell.route for start in range(0, len(runs), 4)}) == 2


@pytest.mark.parametrize("order", ["interleaved", "as-written"])
def test_ladders_over_the_routes_of_a_place_are_neighbours_where_one_is_a_network(order: str) -> None:
    planted = _planted('["loopback", "network"]', SIX_PLACES)
    study = replace(parse_study(planted.text, "far"), restore="ladder", order=order)
    steps, size = len(study.concurrencies), 4 * len(study.concurrencies)
    assert steps > 1 and len(study.tiers_bytes) > 1
    runs = ordered_runs(study)
    first_routes = set()
    for start in range(0, len(runs), size):
        place_runs = runs[start : start + size]
        assert len({(run.cell.workload, run.cell.tier_bytes, run.repeat) for run in place_runs}) == 1
        ladders = [place_runs[at : at + steps] for at in range(0, size, steps)]
        assert {(run.cell.target, run.cell.route) for run in place_runs} == {
            (target, route) for target in ("mariadb:11.8", "mysql:9.7") for route in ("loopback", "network")
        }
        assert len({tuple(run.cell.concurrency for run in ladder) for ladder in ladders}) == 1
        assert [ladder[0].cell.route for ladder in ladders] in (
            ["loopback", "loopback", "network", "network"],
            ["network", "network", "loopback", "loopback"],
        )
        first_routes.add(place_runs[0].cell.route)
    assert len(first_routes) == (2 if order == "interleaved" else 1)


def test_rounds_of_ladders_over_a_network_stay_in_the_parts_that_earlier_versions_gave_them() -> None:
    study = replace(parse_study(_planted('["loopback", "network"]', SIX_PLACES).text, "far"), restore="ladder")
    runs = ordered_runs(study)
    parts = [runs_of_part(study, runs, PartOfStudy(number, 3)) for number in (1, 2, 3)]
    rounds = [{(run.cell.tier_bytes >> 20, run.repeat) for run in part} for part in parts]
    assert rounds == [{(512, 1), (512, 2), (64, 4)}, {(64, 1), (64, 3), (512, 4)}, {(64, 2), (512, 3)}]
