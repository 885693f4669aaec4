"""What is served: states, figures, reports; and what is not: other files, other hosts, other methods."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
from pathlib import Path
from typing import Any, get_args

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from dbdyno.analyse._course import unsettled_words
from dbdyno.core import HostError
from dbdyno.lab._events import RunPhase
from dbdyno.serve import Studies, live_object, live_run, open_metrics, serving, study_object
from dbdyno.serve._metrics import PHASES
from dbdyno.store import Results, find_results
from error_codes import raises_code

from .conftest import HOSTILE, Running, second


def _ask(address: str, path: str, method: str = "GET", **headers: str) -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        reply = connection.getresponse()
        return reply.status, reply.getheader("Content-Type", ""), reply.read()
    finally:
        connection.close()


def _cards(address: str) -> dict[str, Any]:
    while True:
        status, kind, body = _ask(address, "/studies.json")
        assert (status, kind) == (200, "application/json")
        cards = {card["label"]: card for card in json.loads(body)["studies"]}
        if all(card["state"] != "reading" for card in cards.values()):
            return cards


def test_every_study_is_listed_with_its_state_and_what_it_found(address: str) -> None:
    cards = _cards(address)
    states = {label: card["state"] for label, card in cards.items()}
    assert states == {
        "nights/one": "finished",
        "nights/stopped": "interrupted",
        HOSTILE: "finished",
        "broken": "unreadable",
    }
    one = cards["nights/one"]
    assert (one["runs_done"], one["runs_total"]) == (4, 4)
    assert "MariaDB 11.8" in one["headline"]
    assert one["sentences"]
    assert "broken" in cards["broken"]["problem"]


def test_a_study_has_its_cells_and_its_report(address: str) -> None:
    key = _cards(address)["nights/one"]["key"]
    status, _, body = _ask(address, f"/studies/{key}.json")
    found = json.loads(body)
    assert status == 200
    assert [cell["target"] for cell in found["cells"]] and found["live"] is None
    assert all(cell["low"] < cell["tps"] < cell["high"] for cell in found["cells"])
    for _ in range(2):  # made, then kept
        status, kind, page = _ask(address, f"/studies/{key}/report")
        assert (status, kind) == (200, "text/html; charset=utf-8")
        assert b"<!doctype html>" in page[:20]


def test_nothing_is_written_into_the_folders(address: str, tree: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in tree.rglob("*")}
    key = _cards(address)["nights/stopped"]["key"]
    for path in ("/", "/metrics", f"/studies/{key}/", f"/studies/{key}.json", f"/studies/{key}/report"):
        assert _ask(address, path)[0] == 200
    assert {path: path.stat().st_mtime_ns for path in tree.rglob("*")} == before


@pytest.mark.parametrize(
    "path",
    [
        "/secret.txt",
        "/../secret.txt",
        "/studies/../secret.txt",
        "/studies/..%2f..%2fsecret.txt/",
        "//secret.txt",
        "/studies/0123456789ab/report",
        "/studies/0123456789ab/../../secret.txt",
        "/style.css/../secret.txt",
        "/page/serve.js",
        "/%00",
    ],
)
def test_no_address_reaches_a_file_that_is_not_meant(address: str, path: str) -> None:
    status, kind, body = _ask(address, path)
    assert (status, kind) == (404, "text/plain; charset=utf-8")
    assert b"everybody" not in body


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "[::1", "a b"])
def test_a_strangers_name_is_refused(address: str, host: str) -> None:
    status, _, body = _ask(address, "/studies.json", Host=host)
    assert status == 421
    assert b"nights" not in body


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8017", "[::1]:80", "10.1.2.3", "proxy.EXAMPLE:443"])
def test_own_names_addresses_and_allowed_names_are_answered(address: str, host: str) -> None:
    assert _ask(address, "/studies.json", Host=host)[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_changed(address: str, method: str) -> None:
    assert _ask(address, "/", method)[0] == 405


def test_head_has_no_body(address: str) -> None:
    assert _ask(address, "/", "HEAD") == (200, "text/html; charset=utf-8", b"")


def test_pages_forbid_what_they_do_not_need(address: str) -> None:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    connection.request("GET", "/")
    reply = connection.getresponse()
    reply.read()
    connection.close()
    policy = reply.getheader("Content-Security-Policy", "")
    assert policy.startswith("default-src 'none'; script-src 'self'; ")
    assert "unsafe" not in policy
    assert reply.getheader("X-Content-Type-Options") == "nosniff"
    assert reply.getheader("Access-Control-Allow-Origin") is None


def test_a_request_that_is_none_hurts_nobody(address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    for words in (b"\x16\x03\x01\x00\xff\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n"):
        with socket.create_connection((host, int(port)), timeout=20) as stranger:
            stranger.sendall(words)
            assert b"nights" not in stranger.recv(4096)
    assert _ask(address, "/studies.json")[0] == 200


def test_a_running_study_is_seen_second_by_second(tmp_path: Path) -> None:
    running = Running(tmp_path / "live")
    with running.open() as log:
        (folder,) = Studies(tmp_path).all()
        assert folder.state() == "running"
        log.tell("second", second(1, phase="warm-up"))
        for number in range(1, 13):
            log.tell("second", second(number, 100.0 + number % 3))
        found = study_object(folder)
        live = found["live"]
        assert isinstance(live, dict)
        assert (live["target"], live["phase"], live["second"], live["errors"]) == (
            running.run.cell.target,
            "window",
            12,
            13,
        )
        assert live["tps"][0] == 100.0 and len(live["tps"]) == 13
        assert live["window_s"] == 12
        assert live["mean"] == pytest.approx(101.0)
        assert live["half_width"] > 0
        json.dumps(found, allow_nan=False)
    assert folder.state() == "interrupted"
    assert not (tmp_path / "live" / "live.jsonl").exists()


def test_each_bench_of_several_is_seen(tmp_path: Path) -> None:
    running = Running(tmp_path / "live")
    with running.open_benches("a", "b", "c") as logs:
        (folder,) = Studies(tmp_path).all()
        logs[1].tell("second", second(3, 120.0))
        found = study_object(folder)
        json.dumps(found, allow_nan=False)
        benches = found["benches"]
        assert isinstance(benches, list) and isinstance(found["live"], dict)
        assert [(bench["bench"], bench["doing"]) for bench in benches] == [
            ("a", ""),
            ("b", ""),
            ("c", "mysql:9.7: load 9 of 10 rows"),
        ]
        assert (benches[1]["number"], benches[1]["tps"]) == (2, [120.0])
        assert found["live"]["bench"] == "a"
        families = {f.name: f for f in text_string_to_metric_families(open_metrics([folder]))}
        phases = families["dbdyno_run_phase"].samples
        assert {sample.labels["bench"] for sample in phases} == {"a", "b"}
        assert [s.labels["bench"] for s in families["dbdyno_run_transactions_per_second"].samples] == ["b"]
    assert running.results.live_of_benches() == []


def test_what_keeps_an_open_warm_up_going_is_told(tmp_path: Path) -> None:
    running = Running(tmp_path / "live")
    with running.open() as log:
        log.tell("second", {**second(130, phase="warm-up"), "unsettled": ["cache"], "passes": 0})
        live = live_object(live_run(running.results.live()))
        assert live is not None and live["verdict"].endswith(f": {unsettled_words('cache')}")
        assert live["is_at_most"] is True
        log.tell("second", {**second(1), "unsettled": [], "passes": 1})
        live = live_object(live_run(running.results.live()))
        assert live is not None and live["verdict"] == ""


def test_metrics_of_the_run_under_way_are_openmetrics(tmp_path: Path) -> None:
    running = Running(tmp_path / 'a "quoted" \\ folder')
    with running.open() as log:
        for number in range(1, 4):
            log.tell("second", second(number, 250.0))
        families = {
            family.name: family for family in text_string_to_metric_families(open_metrics(Studies(tmp_path).all()))
        }
    assert families["dbdyno_studies_running"].samples[0].value == 1
    (tps,) = families["dbdyno_run_transactions_per_second"].samples
    assert tps.value == 250
    assert tps.labels["study"] == 'a "quoted" \\ folder'
    assert tps.labels["concurrency"] == "4"
    assert families["dbdyno_run_latency_p95_seconds"].samples[0].value == pytest.approx(0.0061)
    errors: Sample = families["dbdyno_run_errors"].samples[0]
    assert (errors.name, errors.value, families["dbdyno_run_errors"].type) == ("dbdyno_run_errors_total", 3, "counter")
    phases = {s.labels["dbdyno_run_phase"]: s.value for s in families["dbdyno_run_phase"].samples}
    assert phases["window"] == 1 and sum(phases.values()) == 1


def test_each_phase_that_a_run_can_enter_is_one_of_the_metric() -> None:
    assert set(get_args(RunPhase)) < set(PHASES)


def test_the_dashboard_shows_metrics_that_there_are(tmp_path: Path) -> None:
    running = Running(tmp_path / "study")
    with running.open() as log:
        log.tell("second", second(1))
        families = list(text_string_to_metric_families(open_metrics(Studies(tmp_path).all())))
    samples = [sample for family in families for sample in family.samples]
    dashboard = json.loads((Path(__file__).parents[3] / "examples" / "grafana" / "dbdyno.json").read_text())
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    shown = " ".join(target["expr"] for panel in panels for target in panel["targets"])
    queries = " ".join(variable["query"] for variable in dashboard["templating"]["list"])
    assert set(re.findall(r"\bdbdyno_\w+", f"{shown} {queries}")) <= {sample.name for sample in samples}
    labels = set(re.findall(r"{{(\w+)}}", " ".join(t["legendFormat"] for panel in panels for t in panel["targets"])))
    assert labels <= {label for sample in samples for label in sample.labels}


def test_the_dashboard_names_the_phase_of_now_and_each_study() -> None:
    """A stat panel shows one series by its value alone, here 1, and a range has every phase of its minutes."""
    dashboard = json.loads((Path(__file__).parents[3] / "examples" / "grafana" / "dbdyno.json").read_text())
    panels = {panel["title"]: panel for panel in dashboard["panels"]}
    phase, progress = panels["What the run does"], panels["Runs stored and planned"]
    assert phase["options"]["textMode"] == "name"
    assert all(target["instant"] and not target["range"] for target in phase["targets"])
    assert all("{{study}}" in target["legendFormat"] for target in progress["targets"])


def test_metrics_say_so_when_nothing_runs(address: str) -> None:
    status, kind, body = _ask(address, "/metrics")
    assert (status, kind) == (200, "application/openmetrics-text; version=1.0.0; charset=utf-8")
    families = {family.name: family for family in text_string_to_metric_families(body.decode())}
    assert set(families) == {"dbdyno_studies_running"}


def test_what_was_told_long_ago_is_not_now(tmp_path: Path) -> None:
    running = Running(tmp_path / "live")
    with running.open() as log:
        log.tell("second", second(1))
        entries = running.results.live()
    old = [type(entry)(entry.event, entry.at_ns - 60 * 10**9, entry.facts) for entry in entries]
    run = live_run(old)
    assert run is not None and run.last is None
    live = live_object(run)
    assert live is not None and live["second"] is None


def test_a_file_that_holds_nonsense_is_no_failure(tmp_path: Path) -> None:
    running = Running(tmp_path / "live")
    with running.open():
        path = tmp_path / "live" / "live.jsonl"
        lines = [
            "nonsense",
            "[]",
            '{"event": "second"}',
            '{"event":"second","at_ns":1,"tps":"x","errors":[],"p95_ns":1e999}',
        ]
        with path.open("a") as file:
            file.write("\n".join([*lines, '{"cut']))
        (folder,) = Studies(tmp_path).all()
        json.dumps(study_object(folder), allow_nan=False)
        text_string_to_metric_families(open_metrics([folder]))


def test_a_killed_study_is_interrupted_though_its_lock_file_stays(tmp_path: Path) -> None:
    running = Running(tmp_path / "live")
    (tmp_path / "live" / "lock").write_text('{"pid": 1, "started_ns": 1}')
    (tmp_path / "live" / "live.jsonl").write_text('{"event":"run","at_ns":1}\n')
    (folder,) = Studies(tmp_path).all()
    assert folder.state() == "interrupted"
    assert study_object(folder)["live"] is None
    assert not running.results.is_being_written


def test_a_study_that_the_audit_refused_is_told_so(tmp_path: Path) -> None:
    running = Running(tmp_path / "live")
    with running.results.writing() as writer:
        writer.append("study-started", runs_total=4, runs_done=0)
        writer.append("study-refused", missing=4)
    (folder,) = Studies(tmp_path).all()
    assert folder.state() == "refused"


def test_looking_on_does_not_keep_a_study_from_starting(tmp_path: Path) -> None:
    running = Running(tmp_path / "live")
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            assert isinstance(running.results.is_being_written, bool)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        for _ in range(50):
            with Results.open(tmp_path / "live").writing():
                pass
    finally:
        stop.set()
        watcher.join()


def test_folders_are_found_below_but_not_hidden_nor_through_links(tmp_path: Path) -> None:
    for name in ("b/deep", "a", ".hidden"):
        Running(tmp_path / "top" / name)
    (tmp_path / "top" / "link").symlink_to(tmp_path / "top" / "a", target_is_directory=True)
    assert [path.name for path in find_results(tmp_path / "top")] == ["a", "deep"]


def test_a_port_that_is_taken_is_told(address: str, tree: Path) -> None:
    port = int(address.rpartition(":")[2])
    with raises_code(HostError, "address-unusable", f"127.0.0.1:{port}"), serving(tree, "127.0.0.1", port):
        pass
    with raises_code(HostError, "address-unusable", "127.0.0.1:99999"), serving(tree, "127.0.0.1", 99999):
        pass


def test_a_folder_that_goes_away_is_told_to_who_asks(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    top = tmp_path / "top"
    top.mkdir()
    with serving(top, "127.0.0.1", 0) as (host, port):
        top.rmdir()
        status, _, body = _ask(f"http://{host}:{port}", "/studies.json")
    assert (status, capfd.readouterr().err) == (503, "")
    assert b"is not a folder" in body
