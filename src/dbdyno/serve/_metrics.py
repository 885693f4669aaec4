r"""Writes the run under way in the text format of OpenMetrics 1.0, for Prometheus and similar programs.

>>> print("\n".join(_family_lines("x_seconds", "gauge", "How long.", [({"study": 'a"b'}, 0.5)], unit="seconds")))
# TYPE x_seconds gauge
# UNIT x_seconds seconds
# HELP x_seconds How long.
x_seconds{study="a\"b"} 0.5
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbdyno.serve._live import LiveRun, live_run
from dbdyno.serve._studies import StudyFolder

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PHASES = ("start", "restore", "settle", "load", "warm-up", "window", "verify", "recover", "stop")
Sample = tuple[Mapping[str, str], float]


def open_metrics(folders: Iterable[StudyFolder]) -> str:
    """Return every running study: how far it is, and the newest second of the run under way.

    A figure that is not known, or older than ten seconds, is left out: a monitor shows a gap, not a flat line.
    """
    running = [folder for folder in folders if folder.is_running()]
    lines = _progress_lines(running)
    runs = [(folder, live_run(entries)) for folder in running for entries in folder.live()]
    labelled_runs = [
        (_run_labels(folder, run), run) for folder, run in runs if run is not None and run.cell is not None
    ]
    lines += _run_lines(labelled_runs)
    return "\n".join([*lines, "# EOF", ""])


def _progress_lines(folders: Sequence[StudyFolder]) -> list[str]:
    stored_studies = [({"study": folder.label}, folder.stored()) for folder in folders]
    return [
        *_family_lines("dbdyno_studies_running", "gauge", "Studies that run now.", [({}, len(folders))]),
        *_family_lines(
            "dbdyno_study_runs_planned",
            "gauge",
            "Runs of the plan, including further rounds so far.",
            [(name, s.runs_total) for name, s in stored_studies],
        ),
        *_family_lines(
            "dbdyno_study_runs_stored",
            "gauge",
            "Runs stored so far.",
            [(name, s.runs_done) for name, s in stored_studies],
        ),
        *_family_lines(
            "dbdyno_study_runs_failed",
            "gauge",
            "Runs stored as failed.",
            [(name, s.statuses.get("failed", 0)) for name, s in stored_studies],
        ),
    ]


def _run_labels(folder: StudyFolder, run: LiveRun) -> Mapping[str, str]:
    cell = run.cell
    if cell is None:
        return {"study": folder.label}
    return {
        "study": folder.label,
        "target": cell.target,
        "workload": cell.workload,
        "tier_bytes": str(cell.tier_bytes),
        "concurrency": str(cell.concurrency),
        "route": cell.route,
        "repeat": str(run.repeat),
        **({"bench": run.bench} if run.bench else {}),
    }


def _run_lines(labelled_runs: Sequence[tuple[Mapping[str, str], LiveRun]]) -> list[str]:
    def newest(name: str, scale: float = 1.0) -> list[Sample]:
        labelled_values: list[tuple[Mapping[str, str], Any]] = [
            (labels, (run.last or {}).get(name)) for labels, run in labelled_runs
        ]
        return [(labels, scale * value) for labels, value in labelled_values if isinstance(value, int | float)]

    phases = [
        ({**labels, "dbdyno_run_phase": phase}, float(phase == run.phase))
        for labels, run in labelled_runs
        for phase in dict.fromkeys([*PHASES, run.phase])
    ]
    errors = [(labels, float(run.errors)) for labels, run in labelled_runs]
    return [
        *_family_lines("dbdyno_run_phase", "stateset", "Phase of the current run.", phases),
        *_family_lines("dbdyno_run_transactions_per_second", "gauge", "Committed in the newest second.", newest("tps")),
        *_family_lines("dbdyno_run_statements_per_second", "gauge", "Statements in the newest second.", newest("qps")),
        *_family_lines(
            "dbdyno_run_latency_p95_seconds",
            "gauge",
            "95th percentile of the newest second's transactions.",
            newest("p95_ns", 1e-9),
            unit="seconds",
        ),
        *_family_lines("dbdyno_run_errors", "counter", "Server errors since the run began.", errors, suffix="_total"),
        *_family_lines(
            "dbdyno_run_connections", "gauge", "Open connections in the newest second.", newest("connections")
        ),
        *_family_lines(
            "dbdyno_run_client_use_ratio",
            "gauge",
            "Share of the load generator's maximum rate on this machine.",
            newest("client_use_share"),
            unit="ratio",
        ),
    ]


def _family_lines(
    name: str, kind: str, words: str, samples: Sequence[Sample], *, unit: str = "", suffix: str = ""
) -> list[str]:
    """Return a metric family; none where it has no sample."""
    if not samples:
        return []
    head = [f"# TYPE {name} {kind}", *([f"# UNIT {name} {unit}"] if unit else []), f"# HELP {name} {words}"]
    return head + [f"{name}{suffix}{_label_text(labels)} {float(value):.10g}" for labels, value in samples]


def _label_text(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
