"""Builds the page of a study: all sections, and the data that its charts are drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from dbdyno.report._claims import CheckedClaims, followed_claims
from dbdyno.report._converter import ChartConverter
from dbdyno.report._document import document
from dbdyno.report._facets import facets_of
from dbdyno.report._html import Html, compact_json, packed_text, script_json
from dbdyno.report._palette import palette_of
from dbdyno.report._relative_throughput import relative_throughputs
from dbdyno.report._runs import RunThroughput, packed_runs, runs_listed, seconds_of_runs
from dbdyno.report._stills import StillDrawings
from dbdyno.report._study_analysis import analyse_study
from dbdyno.report._vega import vega_script
from dbdyno.report._write_atomic import write_atomic
from dbdyno.report.charts import config, heat_charts, seconds_template, throughput_charts
from dbdyno.report.sections import (
    FEW_TARGETS,
    Page,
    capacity_section,
    claims_section,
    counters_section,
    data_section,
    fairness_section,
    head_section,
    how_section,
    latency_section,
    life_section,
    paper_section,
    rank_section,
    settings_section,
    space_section,
    stability_section,
    throughput_section,
    types_section,
    upgrades_section,
    why_section,
)
from dbdyno.report.why._choice import Why, why_of
from dbdyno.store import StoredStudy

MOST_BYTES = 13_000_000
"""Size of the page, as far as the seconds of its runs decide it."""
LEAST_SERIES_BYTES = 2_000_000
MOST_SPEC_BYTES = 20_000
_CONTENTS = (
    ("answer", "Answer"),
    ("why", "Why"),
    ("throughput", "Throughput"),
    ("latency", "Response times"),
    ("types", "Types"),
    ("space", "Space"),
    ("ranks", "Ranks"),
    ("upgrades", "Upgrades"),
    ("stability", "Stability"),
    ("capacity", "Capacity"),
    ("claims", "Claims"),
    ("counters", "Work"),
    ("fairness", "Fairness"),
    ("settings", "Configuration"),
    ("life", "Servers"),
    ("how", "How"),
    ("data", "Data"),
)


def build_page(results: StoredStudy, out: Path, against: str = "") -> Path:
    """Write the page of a study; the file that was written.

    Parameters
    ----------
    against : published report whose claims it holds against the study; empty: the one that the study follows, if any

    Raises
    ------
    StoreError : the file can't be written
    RequestError : no report of that name is known
    """
    return write_atomic(out, page_text(results, against, has_stills=True).encode())


def page_text(results: StoredStudy, against: str = "", *, has_stills: bool = False) -> str:
    """Return the page of a study; `against` as in `build_page`.

    Parameters
    ----------
    has_stills : whether charts can be seen before, or without, the page's script
    """
    analysis = analyse_study(results)
    with ChartConverter() if has_stills else nullcontext() as converter:
        stills = StillDrawings(converter)  # its process starts while the study is judged
        claims, seconds = followed_claims(analysis, against), seconds_of_runs(analysis)
        why = why_of(analysis)  # before the response times: it reads more columns of the same files
        palette, facets = palette_of(analysis.study.targets), facets_of(analysis.study, analysis.records)
        page = Page(analysis, palette, facets, stills)
        unfilled_body = _page_sections(page, why, claims, seconds)
        data = _script_data(page, seconds)
        other_bytes = len(unfilled_body) + stills.expected_bytes + len(script_json(data)) + len(vega_script())
        # Runs are packed while the other process still draws.
        packed = packed_runs(analysis, seconds, max(MOST_BYTES - other_bytes, LEAST_SERIES_BYTES))
        body = stills.filled(unfilled_body)
    title = f"{analysis.study.name}: {analysis.answer.headline}"
    return document(title, _CONTENTS, body, data, page.palette, "study.js", runs=packed)


def _script_data(page: Page, seconds: Mapping[str, RunThroughput]) -> dict[str, Any]:
    """Return what the page's script reads."""
    facet_tokens = {record.run.run_id: page.facets.of_cell(record.run.cell) for record in page.analysis.stored}
    return {
        "name": page.analysis.study.name,
        "facets": page.facets.listed(),
        "config": config(),
        "specs": {name: _packed_spec(spec) for name, spec in page.specs.items()},
        "seconds": {"linear": seconds_template(), "log": seconds_template(log=True)},
        "runs": runs_listed(page.analysis, seconds, facet_tokens),
    }


def paper_text(results: StoredStudy) -> str:
    """Return what goes on two sheets of paper: answer, first chart and limitations; figures and method."""
    analysis = analyse_study(results)
    palette, facets = palette_of(analysis.study.targets), facets_of(analysis.study, analysis.records)
    page = Page(analysis, palette, facets, StillDrawings(None))
    throughputs = relative_throughputs(analysis)
    maps = heat_charts(analysis, palette, throughputs, is_paper=True) if len(palette.looks) > FEW_TARGETS else []
    charts = maps or throughput_charts(analysis, palette)
    body = page.rendered([head_section(page, charts, is_paper=True), paper_section(page)])
    data = {"name": analysis.study.name, "facets": [], "config": config(), "specs": page.specs, "runs": []}
    return document(f"{analysis.study.name}: {analysis.answer.headline}", (), body, data, palette, "study.js")


def _page_sections(page: Page, why: Why, claims: CheckedClaims | None, seconds: Mapping[str, RunThroughput]) -> Html:
    charts = throughput_charts(page.analysis, page.palette)
    throughputs = relative_throughputs(page.analysis)
    maps = heat_charts(page.analysis, page.palette, throughputs)
    is_map_first = bool(maps) and len(page.palette.looks) > FEW_TARGETS
    return page.rendered(
        [
            head_section(page, maps if is_map_first else charts),
            why_section(page, why),
            throughput_section(page, charts, is_shown=not is_map_first and len(charts) == 1),
            latency_section(page),
            types_section(page),
            space_section(page),
            rank_section(page, maps, throughputs, is_shown=is_map_first and len(maps) == 1),
            upgrades_section(page),
            stability_section(page, seconds),
            capacity_section(page),
            claims_section(claims),
            counters_section(page),
            fairness_section(page),
            settings_section(page),
            life_section(page),
            how_section(page),
            data_section(page),
        ]
    )


def _packed_spec(spec: dict[str, Any]) -> dict[str, Any] | str:
    """Return a chart's definition, packed where its data are long."""
    text = compact_json(spec)
    return packed_text(text) if len(text) > MOST_SPEC_BYTES else spec
