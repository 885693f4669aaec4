"""A folder with studies in every state, one of them running as far as its files and its lock tell."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import history_studies
from dbdyno.plan import make_plan
from dbdyno.serve import serving
from dbdyno.store import Results
from dbdyno.study import parse_study
from rewritten_results import as_written

HOSTILE = "<img src=x onerror=alert(1)>\"'"


class Running:
    """A study under way: its folder is locked while this is open, and told what `tell` is given."""

    def __init__(self, folder: Path) -> None:
        text = history_studies.NIGHTLY
        study = parse_study(text, "study.toml")
        self.results = Results.create(folder, text, {}, {"hostname": "bench"}, study_name=study.name)
        self.run = make_plan(study).runs[0]
        self._stop = threading.Event()

    @contextmanager
    def open(self) -> Iterator[Any]:
        with self.results.writing() as writer:
            log = writer.live
            log.begin()
            log.tell("study", {"name": "nightly", "runs_total": 4, "runs_done": 0})
            log.tell("run", {"run_id": self.run.run_id, "repeat": 1, "number": 1, **asdict(self.run.cell)})
            yield log
            log.close()

    @contextmanager
    def open_benches(self, *names: str) -> Iterator[Any]:
        """The same on several benches: a log of each."""
        with self.results.writing() as writer:
            logs = writer.live_of_benches(len(names))
            for number, (name, log) in enumerate(zip(names, logs, strict=True), start=1):
                log.begin()
                log.tell("study", {"name": "nightly", "runs_total": 4, "runs_done": 0, "bench": name})
                if number < len(names):
                    log.tell("run", {"run_id": self.run.run_id, "repeat": 1, "number": number, **asdict(self.run.cell)})
                else:
                    log.tell("doing", {"text": "mysql:9.7: load 9 of 10 rows"})
            yield logs
            for log in logs:
                log.close()


def second(number: int, tps: float = 100.0, phase: str = "window") -> dict[str, Any]:
    return {
        "phase": phase,
        "second": number,
        "seconds_count": 12,
        "tps": tps,
        "qps": 20 * tps,
        "p95_ns": 6_100_000,
        "errors": 1,
        "client_use_share": 0.07,
        "connections": 4,
    }


def write_hostile(folder: Path) -> None:
    text = history_studies.NIGHTLY.replace(
        'targets = ["mariadb:11.8", "mysql:9.7"]', f"question = {json.dumps(HOSTILE)}"
    )
    text += f'[[target]]\nname = {json.dumps(HOSTILE)}\nengine = "mariadb:11.8"\n'
    history_studies.write_night(folder, 1, lambda run: 100.0, text=text)


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Finished, interrupted, hostile and unreadable studies, the first two below another folder."""
    top = tmp_path_factory.mktemp("tree")
    history_studies.write_night(top / "nights" / "one", 0, lambda run: 100.0 if "maria" in run.cell.target else 90.0)
    stopped = history_studies.write_night(top / "nights" / "stopped", 1, lambda run: 100.0)
    last = sorted(stopped.run_ids())[-1]
    stopped.run_folder(last).rename(top / "away")
    as_written(stopped.path)
    write_hostile(top / HOSTILE.replace("/", ""))
    (top / "broken").mkdir()
    (top / "broken" / "study.toml").write_text("?")
    (top / "broken" / "manifest.json").write_text("{}")
    (top / "secret.txt").write_text("not for everybody")
    return top


@pytest.fixture(scope="session")
def address(tree: Path) -> Iterator[str]:
    with serving(tree, "127.0.0.1", 0, ["Proxy.example"]) as (host, port):
        yield f"http://{host}:{port}"
