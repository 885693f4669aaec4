"""Stability: shows all runs, outliers first; opened, a run's seconds with telemetry on one time axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbdyno.analyse import FEWEST_BOX_SECONDS, STATUS_WORDS, BoxPlot, Place, course_words, place_namer
from dbdyno.core import RunRecord, counted, percent, target_title
from dbdyno.report._blocks import (
    Block,
    Fold,
    Heading,
    Section,
    Table,
    data_behind,
    grid,
    rest,
    section,
    subtitle,
    to_see,
)
from dbdyno.report._format import figure
from dbdyno.report._html import Html, element, shortened, to_html
from dbdyno.report._runs import RunThroughput, boxes_of_windows
from dbdyno.report.charts import box_charts, spark
from dbdyno.report.sections._frame import Page, cell_table
from dbdyno.report.sections._overview import overview

_MOST_LARGE = 4
"""Runs that stand out and are drawn large in the page."""


def stability_section(page: Page, seconds: Mapping[str, RunThroughput]) -> Section:
    """Return box plots of the windows, strips of all runs, and the place where one is opened."""
    if not seconds:
        return section("stability", "Stability", to_see("No run has seconds yet."))
    return section(
        "stability",
        "Stability, second by second",
        *_box_blocks(page, seconds),
        *_run_strip_blocks(page, seconds),
        _detail_panel(),
    )


def _run_strip_blocks(page: Page, seconds: Mapping[str, RunThroughput]) -> list[Block]:
    """Return those that stand out large, all of them small, and on demand all of them large."""
    records = page.analysis.records
    outliers = _outlying_runs(records, seconds)
    order_words = f" The worst {_MOST_LARGE} come first." if len(outliers) > _MOST_LARGE else ""
    return [
        Heading("Every run"),
        to_see(
            f"{_runs_sentence(records, len(outliers), seconds)}{order_words} Select a run to see each second with "
            "telemetry."
        ),
        *([_large_strips(page, seconds, outliers[:_MOST_LARGE])] if outliers else []),
        overview(page, seconds, {record.run.run_id for record in outliers}),
        rest(
            "strips",
            "Every run with its figures",
            subtitle(
                "Each strip shows the throughput of one run, from zero. Grey: warm-up; shaded: window; red: stalled "
                "seconds of the settled part. Strips of one memory size and concurrency have the same scale."
            ),
            _strip_grid(page, seconds),
        ),
    ]


def _runs_sentence(records: Sequence[RunRecord], outlier_count: int, seconds: Mapping[str, RunThroughput]) -> str:
    """Return how many runs were made, and how many of them stand out; of some logs no seconds are known."""
    unseen_count = sum(record.status == "good" and not _has_seconds(record, seconds) for record in records)
    unseen_words = f" {counted(unseen_count, 'good run')} without seconds cannot be judged." if unseen_count else ""
    return f"{_standing_out_words(records, outlier_count)}{unseen_words}"


def _standing_out_words(records: Sequence[RunRecord], outlier_count: int) -> str:
    """Return how many runs were made, and how many of them failed, stalled or had not settled."""
    made_records = [record for record in records if record.status != "missing"]
    made_words = counted(len(records), "run")
    if len(made_records) < len(records):
        made_words = f"{len(made_records):,} of {made_words} made"
    if outlier_count:
        return f"{made_words}; {outlier_count:,} failed, stalled or had not settled: framed below."
    if all(record.settled is not None for record in made_records):
        return f"{made_words}: all settled, none failed or stalled."
    return f"{made_words}: none failed or stalled. Whether all settled cannot be judged."


def _outlying_runs(records: Sequence[RunRecord], seconds: Mapping[str, RunThroughput]) -> list[RunRecord]:
    """Runs that failed, did not settle or stalled, the worst first."""
    ranked_records = [(_badness(record, seconds.get(record.run.run_id)), record) for record in records]
    return [record for badness, record in sorted(ranked_records, key=lambda pair: -pair[0]) if badness > 0]


def _badness(record: RunRecord, run_seconds: RunThroughput | None) -> float:
    """Return 0 for a good run; without throughput is worst, then suspect, then unsettled, then stalled.

    A good run without seconds is one that a tool printed no course of, which is no fault of the run.
    """
    if record.status == "missing":
        return 0.0
    if run_seconds is None or not len(run_seconds.tps):
        return 0.0 if record.status == "good" else 4.0
    return 2.0 * (record.status != "good") + (not record.is_settled) + run_seconds.stalls.share


def _has_seconds(record: RunRecord, seconds: Mapping[str, RunThroughput]) -> bool:
    run_seconds = seconds.get(record.run.run_id)
    return run_seconds is not None and len(run_seconds.tps) > 0


def _large_strips(page: Page, seconds: Mapping[str, RunThroughput], outliers: Sequence[RunRecord]) -> Html:
    looks = {look.target: look for look in page.palette.looks}
    words = place_namer([_place_of(record) for record in page.analysis.records])
    lines = []
    for record in outliers:
        run_seconds, cell = seconds.get(record.run.run_id), record.run.cell
        highest_tps = float(run_seconds.tps.max()) if run_seconds is not None and len(run_seconds.tps) else 0.0
        line = _strip_line(
            page, looks[cell.target].variable, cell.target, [record], seconds, highest_tps, words(_place_of(record))
        )
        lines.append(element("div", line, data_f=page.facets.of_cell(cell)))
    return element("div", *lines, class_="strip-grid")


def _place_of(record: RunRecord) -> Place:
    cell = record.run.cell
    return cell.workload, cell.route, cell.tier_bytes, cell.concurrency


def _box_blocks(page: Page, seconds: Mapping[str, RunThroughput]) -> list[Block]:
    """Return box plots; none where no window has enough seconds."""
    analysis = page.analysis
    boxes = boxes_of_windows(analysis, seconds)
    if not boxes:
        return []
    has_choice = len(analysis.study.concurrencies) > 1
    choice_words = " Each target at its best connections, or at those selected above." if has_choice else ""
    return [
        subtitle(
            "Throughput of each second of the judged window, repeats together. Box: middle half, with the median; "
            f"whiskers: 5th to 95th percentile; dots: slowest and fastest second.{choice_words}"
        ),
        grid(box_charts(analysis, page.palette, boxes)),
        to_see(
            "A short box with short whiskers is steady throughput; a slowest second far below the box is a stall. "
            f"There is no box for windows of fewer than {FEWEST_BOX_SECONDS} seconds or for logs with longer intervals."
        ),
        data_behind(_box_table(page, boxes)),
    ]


def _box_table(page: Page, boxes: Sequence[BoxPlot]) -> Table:
    titles = ("slowest", "5 %", "25 %", "median", "75 %", "95 %", "fastest", "seconds")
    rows = []
    for box in boxes:
        values = (box.minimum, box.low, box.lower, box.median, box.upper, box.high, box.maximum)
        rows.append((box.group.cell, [*(figure(value) for value in values), f"{box.seconds:,}"]))
    return cell_table(page, "seconds-of-windows", "Throughput of single seconds of the window", titles, rows)


def _strip_grid(page: Page, seconds: Mapping[str, RunThroughput]) -> Html:
    groups: dict[tuple[Place, str], list[RunRecord]] = {}
    for record in sorted(page.analysis.records, key=lambda record: record.run.repeat):
        groups.setdefault((_place_of(record), record.run.cell.target), []).append(record)
    places = sorted({place for place, _ in groups})
    place_words, looks = place_namer(places), {look.target: look for look in page.palette.looks}
    blocks = []
    for place in places:
        rows = [(target, groups[place, target]) for target in page.analysis.targets if (place, target) in groups]
        tps_series = [seconds[r.run.run_id].tps for _, runs in rows for r in runs if r.run.run_id in seconds]
        highest_tps = max((float(tps.max()) for tps in tps_series if len(tps)), default=0.0)
        words = place_words(place)
        lines = [_strip_line(page, looks[target].variable, target, runs, seconds, highest_tps) for target, runs in rows]
        heading = element("h3", words)
        blocks.append(element("div", heading, *lines, class_="strips", data_f=page.facets.of(*place) or None))
    return element("div", *blocks, class_="strip-grid")


def _strip_line(
    page: Page,
    variable: str,
    target: str,
    runs: Sequence[RunRecord],
    seconds: Mapping[str, RunThroughput],
    highest_tps: float,
    place_text: str = "",
) -> Html:
    name = element(
        "span",
        element("span", class_="swatch", style=f"--c:var(--{variable})", aria_hidden="true"),
        shortened(target_title(target), 34),
        element("span", f" {place_text}", class_="quiet") if place_text else "",
        class_="strip-name",
    )
    strips = [_strip_html(record, seconds.get(record.run.run_id), highest_tps) for record in runs]
    return element(
        "div",
        name,
        element("span", *strips, class_="strip-runs"),
        class_="strip-line",
        style=f"--c:var(--{variable})",
        data_f=page.facets.of(targets=[target]) or None,
    )


def _strip_html(record: RunRecord, run_seconds: RunThroughput | None, highest_tps: float) -> Html:
    run_id, repeat = record.run.run_id, record.run.repeat_words
    if run_seconds is None or not len(run_seconds.tps):
        reason = record.reason or "no seconds"
        return element("span", f"{repeat}: {record.status}", class_="no-strip", title=reason)
    words = "network: path to the server lost" if record.has_lost_path else _window_words(run_seconds)
    drawing = spark(run_seconds, highest_tps, has_stalls=not record.has_lost_path)
    status_words = "" if record.status == "good" else f"{record.status}: {record.reason}. "
    target = target_title(record.run.cell.target)
    title = f"{target}, {repeat}: {status_words}{words}{_course_clause(record)}. Open its seconds."
    text = element("span", words if record.status == "good" else f"{record.status}, {words}", class_="strip-words")
    return element(
        "button", drawing, text, type="button", data_run=run_id, aria_label=title[:400], aria_controls="detail"
    )


def _course_clause(record: RunRecord) -> str:
    """Return where warm-up and window ended, if that was left to the run."""
    return "" if record.course is None else f"; {course_words(record.course)}"


def _window_words(run_seconds: RunThroughput) -> str:
    """Return the range of the window against its median, its stalls, and the verdict if it is long enough.

    A window that could be judged has the stalls of its settled part; one that is too short those of all its seconds.
    """
    stalls, settled_part = run_seconds.stalls, run_seconds.judged
    if stalls.median is None:
        return "no throughput"
    noun = "stalled second" if len(run_seconds.window) else "stalled report"
    stalled_words = f", {counted(stalls.count, noun)}" if stalls.count else ""
    coarse_words = " (few transactions per second: coarse)" if stalls.is_coarse else ""
    verdict = f", {STATUS_WORDS[settled_part.status]}" if settled_part else ""
    if settled_part and settled_part.is_late:
        verdict += f" from {settled_part.start_s} s on"
    range_words = f"{_signed_percent(stalls.lowest - 1)} to {_signed_percent(stalls.highest - 1)}"
    return f"{range_words}{stalled_words}{coarse_words}{verdict}"


def _signed_percent(share: float) -> str:
    r"""Return a difference in percent, with a true minus.

    >>> _signed_percent(-0.034) == "\u22123\u00a0%", _signed_percent(0.5)
    (True, '+50\xa0%')
    """
    return percent(share, signed=True).replace("-", "\u2212").replace(" ", "\u00a0")


def _detail_panel() -> Html:
    run_select = element("select", id="detail-run", aria_label="Run")
    metric_select = element("select", id="detail-more", aria_label="Add a metric")
    bar = element(
        "div",
        element("button", "‹ earlier run", type="button", id="detail-before"),
        run_select,
        element("button", "later run ›", type="button", id="detail-after"),
        element("button", "close", type="button", id="detail-close"),
        class_="detail-bar",
    )
    return element(
        "div",
        element("h3", "Seconds of one run", id="detail-title"),
        bar,
        element("p", id="detail-facts", class_="quiet"),
        element("p", "Repeat this cell: ", element("code", id="detail-repeat"), class_="quiet"),
        element("p", *_marks_key(), class_="marks-key"),
        element("p", id="detail-cursor", class_="cursor-line", aria_live="polite"),
        element(
            "div",
            id="detail-panels",
            tabindex=0,
            role="group",
            aria_label="Charts over time; arrow keys move the cursor",
        ),
        element("p", element("label", "Add a metric ", metric_select), class_="detail-more"),
        element("p", id="detail-thinned", class_="quiet"),
        to_html([Fold("Files of this run", [element("div", id="detail-files")], key="files-of-run")]),
        id="detail",
        hidden=True,
    )


def _marks_key() -> list[Html]:
    """Return what the marks on the time axis mean."""
    kinds = {"warm": "warm-up, not judged", "window": "window, judged", "stall": "stalled seconds"}
    kinds |= {"change": "level changes", "wave": "every other swing of a wave"}
    return [
        element("span", element("i", class_=f"mark-{kind}", aria_hidden="true"), words) for kind, words in kinds.items()
    ]
