"""Stability: a strip for each run; opened, its seconds with the telemetry under them on one time axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dbdyno.analyse import STATUS_WORDS, Place, WindowJudgement, counted, course_words, place_words
from dbdyno.core import AnalysisError, RunRecord
from dbdyno.report._html import Html, element, shortened
from dbdyno.report._series import thinned
from dbdyno.report.charts import SPARK_WIDTH, spark
from dbdyno.report.sections._frame import Page, section, subtitle, to_see
from dbdyno.stats import stalls


def stability_section(page: Page, series: Mapping[str, dict[str, Any]]) -> Html:
    """Strips of all runs, and the place where one is opened."""
    if not series:
        return section("stability", "Stability", to_see("No run has seconds yet."))
    return section(
        "stability",
        "Stability, second by second",
        subtitle(
            "Each strip is one run: throughput from zero, warm-up grey, window shaded; same scale within a place. "
            "Choose one to see its seconds with telemetry."
        ),
        _strips(page, series),
        _detail(),
    )


def _strips(page: Page, series: Mapping[str, dict[str, Any]]) -> Html:
    groups: dict[tuple[Place, str], list[RunRecord]] = {}
    for record in sorted(page.evidence.records, key=lambda record: record.run.repeat):
        cell = record.run.cell
        place: Place = (cell.workload, cell.route, cell.tier_bytes, cell.concurrency)
        groups.setdefault((place, cell.target), []).append(record)
    places = sorted({place for place, _ in groups})
    blocks = []
    for place in places:
        rows = [(target, groups[place, target]) for target in page.evidence.targets if (place, target) in groups]
        top = max((max(_tps(series, r)[0], default=0.0) for _, runs in rows for r in runs), default=0.0)
        words = place_words(place, places)
        lines = [_line(page, target, runs, series, top) for target, runs in rows]
        blocks.append(element("div", element("h3", words[0].upper() + words[1:]), *lines, class_="strips"))
    return element("div", *blocks, class_="strip-grid")


def _line(page: Page, target: str, runs: Sequence[RunRecord], series: Mapping[str, dict[str, Any]], top: float) -> Html:
    look = next(look for look in page.palette.looks if look.target == target)
    name = element(
        "span",
        element("span", class_="swatch", style=f"--c:var(--{look.variable})", aria_hidden="true"),
        shortened(target, 28),
        class_="strip-name",
    )
    strips = [_strip(page, record, series, top) for record in runs]
    return element(
        "div",
        name,
        element("span", *strips, class_="strip-runs"),
        class_="strip-line",
        style=f"--c:var(--{look.variable})",
    )


def _strip(page: Page, record: RunRecord, series: Mapping[str, dict[str, Any]], top: float) -> Html:
    run_id, repeat = record.run.run_id, record.run.repeat_words
    tps, window_from = _tps(series, record)
    if not tps:
        reason = record.reason or "no seconds"
        return element("span", f"{repeat}: {record.status}", class_="no-strip", title=reason)
    words, floor = _window_words(tps[window_from:], page.evidence.windows.get(run_id))
    warm, drawn = _few(tps[:window_from]), _few(tps[window_from:])
    stalled = [False] * len(warm) + [value < floor for value in drawn]
    drawing = spark([*warm, *drawn], len(warm), top, stalled=stalled)
    marked = "" if record.status == "good" else f"{record.status}: {record.reason}. "
    title = f"{record.run.cell.target}, {repeat}: {marked}{words}{_course(record)}. Open its seconds."
    text = element("span", words if record.status == "good" else f"{record.status}, {words}", class_="strip-words")
    return element(
        "button", drawing, text, type="button", data_run=run_id, aria_label=title, title=title, aria_controls="detail"
    )


def _course(record: RunRecord) -> str:
    """Where warm-up and window ended, if that was left to the run."""
    return "" if record.course is None else f"; {course_words(record.course)}"


def _few(values: Sequence[float]) -> list[float]:
    """No more points than a strip can show."""
    return thinned(range(len(values)), values, most=2 * SPARK_WIDTH)[1]


def _tps(series: Mapping[str, dict[str, Any]], record: RunRecord) -> tuple[list[float], int]:
    """Throughput as drawn, and where the window begins in it; not the seconds in which an open load was ended."""
    found = series.get(record.run.run_id)
    line = next((p["lines"][0] for p in (found or {}).get("panels", []) if p["key"] == "tps"), None)
    if found is None or line is None:
        return [], 0
    phases = found["phases"]
    begin = next((phase["from"] for phase in phases if phase["phase"] == "window"), 0)
    end = next((phase["from"] for phase in phases if phase["phase"] == "after"), None)
    values = [value for second, value in zip(line["s"], line["v"], strict=True) if end is None or second < end]
    return values, sum(1 for second in line["s"] if second < begin)


def _window_words(window: Sequence[float], judged: WindowJudgement | None) -> tuple[str, float]:
    """Range of the window against its median, its stalls and, if it is long enough, its verdict; the level of stalls.

    What is drawn may be thinned, so a long window's stalls are those that were judged from all its seconds.
    """
    values = np.asarray(window, dtype=np.float64)
    try:
        found = judged.stalls if judged and judged.stalls else stalls(values)
    except AnalysisError:
        return "no throughput", 0.0
    low, high = values.min() / found.median - 1, values.max() / found.median - 1
    count = round(found.share * (judged.seconds if judged else len(values)))
    stalled = "" if not count else f", {counted(count, 'stalled second')}"
    coarse = " (few a second: coarse)" if found.coarse else ""
    verdict = f", {STATUS_WORDS[judged.state.status]}" if judged else ""
    return f"{low:+.0%} to {high:+.0%}{stalled}{coarse}{verdict}", 0.5 * found.median


def _detail() -> Html:
    choose = element("select", id="detail-run", aria_label="Run to show")
    more = element("select", id="detail-more", aria_label="Add a metric")
    bar = element(
        "div",
        element("button", "‹ earlier run", type="button", id="detail-before"),
        choose,
        element("button", "later run ›", type="button", id="detail-after"),
        class_="detail-bar",
    )
    return element(
        "div",
        element("h3", "Seconds of one run", id="detail-title"),
        bar,
        element("p", id="detail-facts", class_="quiet"),
        element("p", id="detail-cursor", class_="cursor-line", aria_live="polite"),
        element(
            "div",
            id="detail-panels",
            tabindex=0,
            role="group",
            aria_label="Charts over time; arrow keys move the cursor",
        ),
        element("p", element("label", "Add a metric ", more), class_="detail-more"),
        id="detail",
        hidden=True,
    )
