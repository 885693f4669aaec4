"""Benches driven by Ray: a cluster of two nodes on this machine, each with the resource of one bench."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import HostError
from dbdyno.lab import BenchReady, BenchStart, Event, RayFleet, RunFinished, StudyOutcome, run_fleet
from dbdyno.plan import make_plan
from dbdyno.store import FolderCheck, JsonValue, Results, StoredStudy
from dbdyno.study import Study, parse_study, study_text
from error_codes import raises_code
from paper_bench import drive_paper
from remote_hosts import comes_true

pytestmark = [pytest.mark.server, pytest.mark.filterwarnings("ignore")]
STUDY = """
targets = ["mariadb:11.8", "mysql:9.7"]
workload = {name = "oltp_read_write", tables = 1, rows = 50000}
axes = {tier = ["64MB", "128MB", "256MB"], concurrency = [1, 4]}
measure = {warm_up = "1s", window = "2s", repeats = 2, seed = 9, equivalence_events = 0}
pacing = {think = "20ms"}
fleet.engine = "ray"
[bench.a]
[bench.b]
"""
_OBJECT_STORE_BYTES = 80 << 20


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head without a bench."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'dbdyno[ray]'")
    from ray.cluster_utils import Cluster

    tests, source = Path(__file__).parents[1], Path(__file__).parents[2] / "src"
    monkeypatch.setenv("PYTHONPATH", f"{tests}:{source}", prepend=":")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    head = {"num_cpus": 1, "object_store_memory": _OBJECT_STORE_BYTES, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=head)
    yield made
    made.shutdown()


def add_bench(cluster: Any, name: str) -> Any:
    return cluster.add_node(num_cpus=1, object_store_memory=_OBJECT_STORE_BYTES, resources={f"bench-{name}": 1})


def run(study: Study, folder: Path, fleet: RayFleet, on_event: Any = lambda bench, event: None) -> StudyOutcome:
    def open_results(facts: Mapping[str, JsonValue]) -> Results:
        return Results.open_or_create(folder, study_text(study), {}, facts, study_name=study.name)

    return run_fleet(study, make_plan(study), fleet, open_results, on_event)


def test_ray_drives_benches_on_its_nodes_and_gives_the_runs_of_a_lost_one_to_the_others(
    cluster: Any, tmp_path: Path
) -> None:
    study = parse_study(STUDY, "x.toml")
    starts = {bench.name: BenchStart(bench.name, "") for bench in study.benches}
    with raises_code(HostError, "bench-missing", "bench-a"):
        run(study, tmp_path / "none", RayFleet(drive_paper, starts, cluster.address))
    nodes = {name: add_bench(cluster, name) for name in starts}
    outcome = run(study, tmp_path / "all", RayFleet(drive_paper, starts, cluster.address))
    assert outcome.complete
    stored = StoredStudy.open(tmp_path / "all", check=FolderCheck(is_full=True))
    assert {record.bench for record in stored.records()} == {"a", "b"}
    pids = {name: facts["pid"] for name, facts in stored.host["benches"].items()}
    assert comes_true(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids.values()), 20)

    seen: dict[str, int] = {}
    lost = threading.Event()

    def lose_one(bench: str, event: Event) -> None:
        if isinstance(event, BenchReady):
            seen[bench] = int(str(event.facts["pid"]))
        elif isinstance(event, RunFinished) and bench == "b" and not lost.is_set():
            lost.set()
            cluster.remove_node(nodes["b"], allow_graceful=False)

    outcome = run(study, tmp_path / "one", RayFleet(drive_paper, starts, cluster.address), lose_one)
    assert outcome.complete
    stored = StoredStudy.open(tmp_path / "one", check=FolderCheck(is_full=True))
    assert stored.run_ids() == {planned.run_id for planned in make_plan(study).runs}
    finished = [entry.facts["run_id"] for entry in stored.journal() if entry.event == "run-finished"]
    assert len(finished) == len(set(finished)) == 24
    assert [entry.facts["bench"] for entry in stored.journal() if entry.event == "bench-lost"] == ["b"]
    assert comes_true(lambda: not Path(f"/proc/{seen['b']}").exists(), 30), "its child ends with its actor"
