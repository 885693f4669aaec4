"""Writes the report as Markdown for an issue: question, answer, limitations, tables, method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dbdyno.analyse import METHOD, capacity_sentences
from dbdyno.core import counted, target_title
from dbdyno.report._blocks import Block, Fold, Heading, ListOf, Paragraph, TextSpan, titled_list
from dbdyno.report._claims import claims_blocks, followed_claims
from dbdyno.report._fairness_blocks import fairness_blocks
from dbdyno.report._format import clock_time, server_title, workload_title
from dbdyno.report._machine import machine_words, named_machine
from dbdyno.report._markdown_text import to_markdown
from dbdyno.report._pacing import pacing_words
from dbdyno.report._round_trips import round_trip_words
from dbdyno.report._study_analysis import StudyAnalysis, analyse_study
from dbdyno.report._terminal import (
    answer_blocks,
    cells_table,
    client_line,
    comparisons_table,
    course_lines,
    durability_classes,
    orders_table,
    types_table,
)
from dbdyno.report._upgrades import averages_table, upgrades_table
from dbdyno.report._write_atomic import write_atomic
from dbdyno.report.why._blocks import why_blocks
from dbdyno.report.why._choice import why_of
from dbdyno.store import StoredStudy


def build_markdown(results: StoredStudy, out: Path, against: str = "") -> Path:
    """Write the report as Markdown; the file that was written.

    Parameters
    ----------
    against : as in `dbdyno.report.build_page`

    Raises
    ------
    StoreError : the file can't be written
    RequestError : no report of that name is known
    """
    return write_atomic(out, markdown_text(results, against).encode())


def markdown_text(results: StoredStudy, against: str = "") -> str:
    """Return the report of a study as Markdown; `against` as in `build_markdown`."""
    return to_markdown(_summary_blocks(analyse_study(results), against))


def _summary_blocks(analysis: StudyAnalysis, against: str) -> Iterator[Block]:
    claims = followed_claims(analysis, against)
    yield from answer_blocks(analysis)
    yield from titled_list("Limitations", analysis.limitations)
    yield from (Heading("Why"), *why_blocks(why_of(analysis)))
    if cells := cells_table(analysis):
        loop = " Closed loop: p95 and p99 understate stalls." if analysis.facts.is_closed else ""
        words = f"Intervals at 95 %.{loop} {client_line(analysis)}."
        yield from (Heading(cells.caption), cells, Paragraph(words))
    if analysis.comparisons:
        count, pairs = len(analysis.comparisons), comparisons_table(analysis)
        yield Fold(f"All {count:,} comparisons" if count > 1 else "The comparison", [Paragraph(pairs.caption), pairs])
    if analysis.upgrades:
        yield from (Heading("Upgrades"), upgrades_table(analysis))
        if averages := averages_table(analysis):
            yield Fold(averages.caption, [averages])
    yield from titled_list("Capacity", capacity_sentences(analysis.capacity))
    if orders := orders_table(analysis):
        yield from (Heading(orders.caption), orders)
    if types := types_table(analysis):
        yield Fold(types.caption, [types])
    yield Heading("Fairness")
    yield from (replace(block, level=4) if isinstance(block, Heading) else block for block in fairness_blocks(analysis))
    if claims:
        yield from claims_blocks(claims)
    yield from _method_blocks(analysis)


def _load_words(analysis: StudyAnalysis) -> str:
    study = analysis.study
    words = f"{', '.join(workload_title(choice.name) for choice in study.workloads)}, {pacing_words(analysis)}"
    repeats = counted(study.repeats, "repeat")
    if study.imported is not None:
        result = f"window every interval line of a log, most often {study.window_words}, at most {repeats}"
        return f"{words}, {result}; warm-up, statement protocol, random numbers and order unknown"
    lengths = f"warm-up {study.warm_up_words}, window {study.window_words}"
    return f"{words}, {lengths}, {repeats}, order {study.order}"


def _method_blocks(analysis: StudyAnalysis) -> list[Block]:
    study, manifest, host = analysis.study, analysis.results.manifest, analysis.results.host
    versions: dict[str, str] = {}
    for record in analysis.stored:
        versions.setdefault(record.run.cell.target, server_title(record))
    durability_words = {
        target: f"; durability: {words}" for target, words in durability_classes(analysis).items() if words
    }
    servers = [
        f"{target_title(target)}: {versions.get(target, 'no run yet')}{durability_words.get(target, '')}"
        for target in analysis.targets
    ]
    machines = analysis.machine.machines or (host,)
    describe_machine = named_machine if len(machines) > 1 else machine_words
    machine_lines = [f"machine: {words}" for machine in machines if (words := describe_machine(machine))]
    origin_verb = "measured" if study.imported is None else "imported"
    lines = [
        *servers,
        *analysis.settings_lines,
        _load_words(analysis),
        *course_lines(analysis),
        *([study.bench_words] if study.benches else []),
        *([f"shaped routes: {study.shaped_words}"] if study.shaped_routes else []),
        *([f"round trips before the load: {words}"] if (words := round_trip_words(analysis)) else []),
        *machine_lines,
        f"{origin_verb} {clock_time(manifest.created_ns)} with dbdyno {manifest.dbdyno_version}",
    ]
    method = (TextSpan(manifest.study_digest, "code"), ", statistics ", TextSpan(METHOD, "code"), ".")
    return [Heading("How"), ListOf(lines), Paragraph(("Study ", *method))]
