"""The page of a study: all sections, and the data that its charts are drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dbdyno.analyse import place_words
from dbdyno.report._client import client_words
from dbdyno.report._document import document
from dbdyno.report._evidence import Evidence, gather
from dbdyno.report._format import figure
from dbdyno.report._html import joined
from dbdyno.report._out import put
from dbdyno.report._palette import palette_of
from dbdyno.report._series import run_series
from dbdyno.report.charts import seconds_template
from dbdyno.report.sections import (
    Page,
    capacity_section,
    counters_section,
    data_section,
    fairness_section,
    head_section,
    how_section,
    latency_section,
    life_section,
    rank_section,
    settings_section,
    space_section,
    stability_section,
    throughput_section,
    types_section,
)
from dbdyno.store import Results

_CONTENTS = (
    ("answer", "Answer"),
    ("throughput", "Throughput"),
    ("latency", "Response times"),
    ("types", "Types"),
    ("space", "Space"),
    ("ranks", "Ranks"),
    ("stability", "Stability"),
    ("capacity", "Capacity"),
    ("counters", "Why"),
    ("fairness", "Fairness"),
    ("settings", "Configuration"),
    ("life", "Servers"),
    ("how", "How"),
    ("data", "Data"),
)


def build_page(results: Results, out: Path) -> Path:
    """Write the page of a study; the file that was written.

    Raises
    ------
    StoreError : the file can't be written
    """
    return put(out, page_text(results).encode())


def page_text(results: Results) -> str:
    """The page of a study."""
    evidence = gather(results)
    page = Page(evidence, palette_of(evidence.study.targets))
    series = {record.run.run_id: run_series(results, record.run.run_id) for record in evidence.stored}
    series = {run_id: found for run_id, found in series.items() if found["panels"]}
    body = joined(
        [
            head_section(page),
            throughput_section(page),
            latency_section(page),
            types_section(page),
            space_section(page),
            rank_section(page),
            stability_section(page, series),
            capacity_section(page),
            counters_section(page),
            fairness_section(page),
            settings_section(page),
            life_section(page),
            how_section(page),
            data_section(page),
        ]
    )
    data = {
        "specs": page.specs,
        "seconds": {"linear": seconds_template(), "log": seconds_template(log=True)},
        "runs": _runs(evidence, series),
    }
    title = f"{evidence.study.name}: {evidence.answer.headline}"
    return document(title, _CONTENTS, body, data, page.palette, "page.js")


def _runs(evidence: Evidence, series: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page shows of a run when it is opened, in the order of the plan."""
    found = []
    cells = [record.run.cell for record in evidence.stored]
    places = [(cell.workload, cell.route, cell.tier_bytes, cell.concurrency) for cell in cells]
    for record in evidence.stored:
        cell, run_id = record.run.cell, record.run.run_id
        if run_id in series:
            place = (cell.workload, cell.route, cell.tier_bytes, cell.concurrency)
            title = f"{cell.target} {place_words(place, places)}, {record.run.repeat_words}"
            facts = "; ".join([record.status, *([record.reason] if record.reason else []), *_window_facts(record)])
            found.append({"id": run_id, "title": title, "facts": facts, **series[run_id]})
    return found


def _window_facts(record: Any) -> list[str]:  # noqa: ANN401 - a RunRecord
    if record.tps_mean is None:
        return []
    noise = f" ± {figure(record.tps_half_width, 2)} (noise alone)" if record.tps_half_width is not None else ""
    words = client_words(record)
    client = f", client used {words} of what it can do here" if words else ""
    return [f"{figure(record.tps_mean)} TPS{noise} over {record.window_s:g} s{client}"]
