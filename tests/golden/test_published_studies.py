"""The ready studies against the facts of the reports that they follow, and against what their servers can be set to."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.analyse.claims import REPORTS, published
from dbdyno.configure import check_settings
from dbdyno.core import format_memory, parse_bytes
from dbdyno.study import Study, WorkloadChoice, read_study

ROOT = Path(__file__).parents[2]
FACTS = ROOT.parent / "shared" / "published" / "claims.json"
NAMES = (
    "percona-2026",
    "tidesdb-2026",
    "linkbench-2014",
    "linkbench-2014-tpcc",
    "sysbench-2012",
    "checkpoint-2020",
)
MINUTES_MOST = 15
"""For a laptop: what the runs of a small study take at most, without restores."""


def study_of(name: str, scale: str | None = None) -> Study:
    return read_study(ROOT / "studies" / f"{name}.toml", scale)


def options_of(choice: WorkloadChoice) -> dict[str, object]:
    return dict(choice.options)


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    if not FACTS.exists():
        pytest.skip("needs ../shared/published")
    found: dict[str, Any] = json.loads(FACTS.read_text())["reports"]
    return found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [None, "small"])
def test_every_server_can_have_what_its_study_asks_for(name: str, scale: str | None) -> None:
    study = study_of(name, scale)
    assert check_settings(study).keys() == {target.name for target in study.targets}


@pytest.mark.parametrize("name", NAMES)
def test_the_small_scale_is_a_matter_of_minutes_and_says_that_it_is_scaled(name: str) -> None:
    study = study_of(name, "small")
    cells = len(study.targets) * len(study.workloads) * len(study.tiers_bytes) * len(study.concurrencies)
    driven_s = cells * study.repeats * (study.warm_up_ns + study.window_ns + study.settle_ns) / 10**9
    assert driven_s < 60 * MINUTES_MOST
    assert study.scaled == "small"
    assert study.name == f"{name}-small"


@pytest.mark.parametrize("name", NAMES)
def test_a_small_study_needs_no_source_beyond_the_packages(name: str) -> None:
    assert {target.engine.source for target in study_of(name, "small").targets} == {""}


def test_percona_2026_has_its_rows_keys_memory_connections_and_times(facts: dict[str, Any]) -> None:
    fact, study = facts["percona-2026"], study_of("percona-2026")
    assert [choice.name for choice in study.workloads] == fact["workloads"]
    for choice in study.workloads:
        options = options_of(choice)
        assert options["tables"] == fact["dataset"]["tables"]
        assert options["table_size"] == fact["dataset"]["rows_per_table"]
        assert options["rand_type"] == "uniform"
    assert [format_memory(tier) for tier in study.tiers_bytes] == ["2 GiB", "12 GiB", "32 GiB"]
    assert list(study.concurrencies) == fact["concurrency"]
    as_then = study_of("percona-2026", "published-times")
    assert as_then.warm_up_ns == study.warm_up_ns == sum(fact["warmup"].values()) * 10**9
    assert as_then.window_ns == fact["window_s"] * 10**9
    assert not as_then.adaptive_length
    assert study.routes == ("loopback",)
    named = [engine.split("-")[0].replace(" ", ":") for engine in fact["engines"]]
    assert [f"{t.engine.family}:{t.engine.version}" for t in study.targets] == named


def test_percona_2026_reaches_the_same_servers_over_the_routes_of_its_network_campaign(facts: dict[str, Any]) -> None:
    local, both = study_of("percona-2026"), study_of("percona-2026", "network")
    assert both.routes == tuple(route.split()[0] for route in facts["percona-2026"]["routes"])
    assert [bench.server.is_placeholder for bench in both.benches if bench.server] == [True]
    releases = [[(t.engine.family, t.engine.version) for t in study.targets] for study in (local, both)]
    assert releases[0] == releases[1]
    # What only the servers' place decides differs, and nothing else.
    same = replace(both, name=local.name, targets=local.targets, routes=local.routes, benches=())
    assert same == local
    # Each figure that the report prints of its network has a cell.
    claims = [claim for claim in published("percona-2026").claims if claim.at.route == "network"]
    assert len(claims) == 7
    for claim in claims:
        at = claim.at
        assert at.workload in [choice.name for choice in both.workloads]
        assert at.tier_bytes is None or at.tier_bytes in both.tiers_bytes
        assert at.concurrency is None or at.concurrency in both.concurrencies
        assert at.engine is None or tuple(at.engine.split("-")[0].split()) in releases[1]
        assert claim.against.route in (None, *both.routes)


def test_no_other_report_drove_its_load_over_a_network(facts: dict[str, Any]) -> None:
    for name in REPORTS:
        routes = {claim.at.route for claim in published(name).claims}
        assert ("network" in routes) == (name == "percona-2026"), name
        assert ("routes" in facts[name]) == (name == "percona-2026"), name


def test_tidesdb_2026_has_its_warehouses_users_and_times(facts: dict[str, Any]) -> None:
    fact, study = facts["tidesdb-2026"], study_of("tidesdb-2026")
    (choice,) = study.workloads
    options = options_of(choice)
    assert [choice.name] == fact["workloads"]
    assert options["warehouses"] == fact["dataset"]["warehouses"]
    assert options["allwarehouse"] is True
    assert options["keyandthink"] is False
    assert list(study.tiers_bytes) == [parse_bytes(tier) for tier in fact["tiers_cache"]]
    assert study.concurrencies == (fact["virtual_users"],)
    assert study.warm_up_ns == fact["ramp_min"] * 60 * 10**9
    assert study.window_ns == fact["window_min"] * 60 * 10**9
    assert study.settle_ns == fact["settle_s"] * 10**9
    assert [target.engine.storage_engine for target in study.targets] == ["innodb", "tidesdb"]


def test_linkbench_2014_has_its_nodes_clients_kinds_of_tables_and_times(facts: dict[str, Any]) -> None:
    fact, study = facts["linkbench-2014"], study_of("linkbench-2014")
    assert options_of(study.workloads[0])["maxid1"] == fact["dataset"]["linkbench_maxid1"]
    assert study.tiers_bytes == (parse_bytes(fact["tier_buffer_pool"]),)
    assert study.concurrencies == (fact["linkbench"]["requesters"],)
    assert study.warm_up_ns == fact["linkbench"]["warmup_s"] * 10**9
    assert study.window_ns == fact["linkbench"]["max_time_s"] * 10**9
    kinds = {target.workload_options["table_compression"] for target in study.targets}
    assert kinds == {"none", "row-compressed", "page-compressed"}
    assert len(study.targets) == 2 * len(kinds)


def test_the_tpcc_half_of_linkbench_2014_has_its_warehouses_sweep_and_times(facts: dict[str, Any]) -> None:
    fact, study = facts["linkbench-2014"], study_of("linkbench-2014-tpcc")
    assert [choice.name for choice in study.workloads] == fact["workloads"][1:]
    assert options_of(study.workloads[0])["warehouses"] == fact["dataset"]["tpcc_warehouses"]
    assert list(study.concurrencies) == fact["tpcc"]["sweep"]
    assert study.warm_up_ns == fact["tpcc"]["warmup_s"] * 10**9
    assert study.window_ns == fact["tpcc"]["window_s"] * 10**9


def test_sysbench_2012_has_its_tables_memory_redo_and_processors(facts: dict[str, Any]) -> None:
    fact, study = facts["sysbench-2012"], study_of("sysbench-2012")
    assert [choice.name for choice in study.workloads] == fact["workloads"]
    for choice in study.workloads:
        assert options_of(choice)["tables"] == fact["dataset"]["tables"]
    assert study.tiers_bytes == (parse_bytes(fact["tier_buffer_pool"]),)
    # MySQL 5.5 takes less than 4 GB in all.
    assert 0.99 * parse_bytes(fact["log_capacity"]) < float(study.settings["redo.capacity"]) < parse_bytes("4GB")
    assert (study.pinning.server, study.pinning.client) == (tuple(range(16)), tuple(range(16, 24)))


def test_checkpoint_2020_has_its_warehouses_threads_redo_and_hours(facts: dict[str, Any]) -> None:
    fact, study = facts["checkpoint-2020"], study_of("checkpoint-2020")
    (choice,) = study.workloads
    options = options_of(choice)
    assert [choice.name] == fact["workloads"]
    assert (options["tables"], options["scale"]) == (fact["dataset"]["tables"], fact["dataset"]["scale"])
    assert options["use_fk"] is bool(fact["options"]["use_fk"])
    assert study.concurrencies == (fact["threads"],)
    assert study.warm_up_ns + study.window_ns == fact["window_s"] * 10**9
    assert study.settings["redo.capacity"] == parse_bytes("20GB")
    assert [f"{t.engine.family} {t.engine.version}" for t in study.targets] == fact["engines"]


@pytest.mark.parametrize("name", REPORTS)
def test_claims_are_held_against_the_rows_that_the_study_fills(name: str) -> None:
    report = published(name)
    for choice in study_of(name).workloads:
        wanted = report.rows[choice.name]
        assert {option: choice.options[option] for option in wanted} == wanted
        small = study_of(name, "small").workloads
        assert all(any(own.options[option] != wanted[option] for option in wanted) for own in small)
