"""The order of each kind of pacing obeys the contract."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dbdyno.core import Cell, Run
from dbdyno.measure import LoadAgent, LoadOrder
from dbdyno.study import Study, parse_study

SCHEMA = json.loads((Path(__file__).parents[3] / "contract" / "load-order.schema.json").read_text())
RUN = Run(Cell("mysql:9.7", 64 << 20, 4, "sysbench/oltp_read_only", "socket"), 1, 0, 9, "")
TARGET = {"socket": "/s.sock", "user": "u", "database": "d", "tls": "off"}


def study(tables: str) -> Study:
    head = 'targets = ["mysql:9.7"]\nworkload.name = "oltp_read_only"\naxes = {tier = "64MB", concurrency = 4}\n'
    return parse_study(head + 'measure = {warm_up = "0s", window = "4s"}\n' + tables, "s.toml")


def order_of(tables: str, target: dict[str, str] | None = None) -> LoadOrder:
    return LoadOrder(RUN, study(tables), target or TARGET, workers=1)


def checked(tables: str) -> dict[str, Any]:
    order = json.loads(json.dumps(order_of(tables).to_json()))
    jsonschema.validate(order, SCHEMA)
    return order


@pytest.mark.parametrize(
    ("pacing", "kind"),
    [
        ("", "closed"),
        ('think = "100ms"', "closed"),
        ("rate_per_s = 5", "fixed-rate"),
        ('rates = ["5/s for 1s", "5/s to 9/s over 2s"]', "varied-rate"),
        ('slo = "p99 < 20ms"\nfirst_rate = 5', "search"),
    ],
)
def test_every_kind_obeys_the_contract(pacing: str, kind: str) -> None:
    assert checked(f"[pacing]\n{pacing}")["pacing"]["kind"] == kind


def test_a_search_judges_windows_of_the_study_and_has_something_to_drive_before() -> None:
    order = checked('[pacing]\nslo = "p99 < 20ms"\nfirst_rate = 5')
    assert order["pacing"]["window_ns"] == 4 * 10**9
    assert order["phases"] == [{"name": "warm-up", "duration_ns": 10**9}]


def test_the_servers_counts_are_read_all_along_where_the_window_is_left_to_the_run() -> None:
    head = 'targets = ["mysql:9.7"]\nworkload.name = "oltp_read_only"\naxes = {tier = "64MB", concurrency = 4}\n'
    text = head + 'measure = {warm_up = "2s", window = "auto", window_min = "60s", window_max = "120s"}\n'
    order = LoadOrder(RUN, parse_study(text, "s.toml"), TARGET, workers=1).to_json()
    jsonschema.validate(json.loads(json.dumps(order)), SCHEMA)
    assert order["counts_every_ns"] == 10 * 10**9
    assert "counts_every_ns" not in order_of("").to_json()


def test_a_search_may_take_many_windows() -> None:
    search = order_of('[pacing]\nslo = "p99 < 20ms"\nfirst_rate = 5')
    assert search.longest_s > 20 * 4 + order_of("").longest_s


def test_the_policy_of_errors_obeys_the_contract() -> None:
    order = checked('[errors]\ndraws = "same"\nretry_limit = 3\npause = "5ms"\nprepared_full = "text"')
    said = {name: order["errors"][name] for name in ("draws", "retry_limit", "pause_ns")}
    assert said == {"draws": "same", "retry_limit": 3, "pause_ns": 5_000_000}
    assert order["prepared_full"] == "text"


@pytest.mark.parametrize(
    ("tables", "target", "apart"),
    [
        ("", TARGET, False),
        ('[pinning]\nserver = "0"\nclient = "1"', TARGET, True),
        ('[pinning]\nserver = "0,1"\nclient = "1"', TARGET, False),
        ("", {"host": "127.0.0.1"}, False),
        ("", {"host": "db.example"}, True),
    ],
)
def test_a_client_has_its_own_processors_when_pinned_apart_or_elsewhere(
    tables: str, target: dict[str, str], apart: bool
) -> None:
    assert order_of(tables, target).client_has_own_cpus is apart


def test_conflicts_of_the_storage_engine_and_further_errors_of_the_study_are_repeated() -> None:
    assert "also" not in checked("")["errors"]
    head = 'workload.name = "oltp_read_only"\naxes = {tier = "64MB", concurrency = 4}\n'
    text = head + '[[target]]\nname = "a"\nengine = "mariadb:11.8+tidesdb"\n[errors]\nalso = [1296, "1180/149"]\n'
    run = replace(RUN, cell=replace(RUN.cell, target="a"))
    order = json.loads(json.dumps(LoadOrder(run, parse_study(text, "s.toml"), TARGET, workers=1).to_json()))
    jsonschema.validate(order, SCHEMA)
    assert order["errors"]["also"] == [{"code": 1180, "cause": 149}, {"code": 1296}]


def test_hosts_of_one_client_have_workers_for_their_own_connections_and_processors() -> None:
    agents = [LoadAgent("c1", "bench@c1", "/a/load", "/a/p", 8), LoadAgent("c2", "c2", "/b/load", "/b/p", 2)]
    agents.append(LoadAgent("c3", "c3", "/c/load", "/c/p", 8))
    order = json.loads(json.dumps(replace(order_of(""), agents=agents).to_json()))
    jsonschema.validate(order, SCHEMA)
    assert [agent["workers"] for agent in order["agents"]] == [2, 1, 1]  # of 4 connections 2, 1 and 1
    second = {"name": "c2", "ssh": "c2", "program": "/b/load", "password_file": "/b/p", "workers": 1}
    assert order["agents"][1] == second
    assert "agents" not in order_of("").to_json()


def test_a_workload_in_a_folder_has_one_name_and_the_path_of_each_host() -> None:
    name = "sql:/home/ada/shop"
    text = f'targets = ["mysql:9.7"]\nworkload.name = "{name}"\naxes = {{tier = "64MB", concurrency = 4}}\n'
    run = replace(RUN, cell=replace(RUN.cell, workload=name))
    plain = LoadOrder(run, parse_study(text, "s.toml"), TARGET, workers=1)
    assert plain.to_json()["workload"] == {"name": name, "options": {}}
    agents = [
        LoadAgent(host, host, "/a/load", "/a/p", 8, {name: f"/home/{host}/workload-1f2e"}) for host in ("c1", "c2")
    ]
    order = json.loads(json.dumps(replace(plain, agents=agents, folders={name: "/home/ada/shop"}).to_json()))
    jsonschema.validate(order, SCHEMA)
    assert order["workload"] == {"name": "sql:shop", "options": {"folder": "/home/ada/shop"}}
    folders = [agent["options"] for agent in order["agents"]]
    assert folders == [{"folder": "/home/c1/workload-1f2e"}, {"folder": "/home/c2/workload-1f2e"}]


def test_a_data_file_has_the_path_of_each_load_host() -> None:
    workload = 'workload = {name = "linkbench", maxid1 = 300, data_file = "D.dat"}\n'
    text = f'targets = ["mysql:9.7"]\n{workload}axes = {{tier = "64MB", concurrency = 4}}\n'
    run = replace(RUN, cell=replace(RUN.cell, workload="linkbench"))
    agents = [LoadAgent(host, host, "/a/load", "/a/p", 8, {"D.dat": f"/home/{host}/D.dat"}) for host in ("c1", "c2")]
    order = LoadOrder(run, parse_study(text, "s.toml"), TARGET, workers=1, agents=agents)
    document = json.loads(json.dumps(order.to_json()))
    jsonschema.validate(document, SCHEMA)
    assert document["workload"]["options"]["data_file"] == "D.dat"
    options = [agent["options"] for agent in document["agents"]]
    assert options == [{"data_file": "/home/c1/D.dat"}, {"data_file": "/home/c2/D.dat"}]
