"""The report as Markdown, to be pasted into an issue: question, answer, what weakens it, tables, how it was made."""

from __future__ import annotations

from pathlib import Path

from dbdyno.analyse import (
    by_place,
    capacity_sentences,
    counted,
    courses_words,
    judge_sentinel,
    place_namer,
    ratio_words,
    sentinel_words,
    summarise_courses,
)
from dbdyno.analyse.claims import about, arithmetic_words, own_words, printed_words
from dbdyno.core import TypeFigures, format_bytes, target_title
from dbdyno.report._claims import CheckedClaims, followed_claims
from dbdyno.report._format import clock_time, figure, milliseconds, p_words, server_title, verdict_words
from dbdyno.report._markdown_text import bullets, escaped, folded, table_text
from dbdyno.report._pacing import pacing_words
from dbdyno.report._study_analysis import StudyAnalysis, analyse_study
from dbdyno.report._terminal import by_level, cell_row, client_line, durability_classes, legend_words, measure_title
from dbdyno.report._why import why_of
from dbdyno.report._why_markdown import why_blocks
from dbdyno.report._write_atomic import write_atomic
from dbdyno.store import StoredStudy
from dbdyno.study import question_words, settings_lines


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
    """The report of a study as Markdown; `against` as in `build_markdown`."""
    analysis = analyse_study(results)
    claims = followed_claims(analysis, against)
    parts = [
        [f"## {escaped(question_words(analysis.study))}"],
        [f"**{escaped(analysis.scaled_words)}**"] if analysis.scaled_words else [],
        [f"**{escaped(analysis.fairness.warning)}**"] if analysis.fairness.warning else [],
        [escaped(sentence) for sentence in analysis.answer.sentences],
        ["### Limitations", bullets(caveat.text for caveat in analysis.limitations)] if analysis.limitations else [],
        why_blocks(why_of(analysis)),
        _cells(analysis),
        _comparisons(analysis),
        _capacity(analysis),
        _types(analysis),
        [claims_markdown(claims)] if claims else [],
        _how(analysis),
    ]
    return "\n\n".join(block for part in parts for block in part) + "\n"


def claims_markdown(held: CheckedClaims) -> str:
    """Claims of a published report as a table, what is found here beside the print."""
    titles = ("claim", "verdict", "what it says", "what was counted", "what to know of it", "printed", "here, 95 %")
    rows = [
        (
            row.claim.claim_id,
            row.result.outcome,
            row.claim.sentence,
            arithmetic_words(row.result),
            about(row.result),
            printed_words(row.claim),
            own_words(row.claim, row.result),
        )
        for row in held.judged
    ]
    words = escaped(f"{held.report.title}. {held.tally}.")
    return "\n\n".join(["### What the report prints, and what is found here", words, table_text(titles, 2, rows)])


def _cells(analysis: StudyAnalysis) -> list[str]:
    places = by_place(analysis.judgements)
    classes = durability_classes(analysis)
    differ = len(set(classes.values())) > 1
    rows, place_words = [], place_namer(places)
    for place, group in sorted(places.items()):
        ordered = by_level(group)
        words = place_words(place)
        for index, judgement in enumerate(ordered):
            row = cell_row(analysis, judgement, ordered[0], len(group))
            survives = [classes.get(judgement.cell.target, "")] if differ else []
            rows.append([words if index == 0 else "", row[0].strip(), *survives, *(cell.strip() for cell in row[1:])])
    if not rows:
        return []
    names = ["where", "target", *(["a commit survives"] if differ else [])]
    titles = (*names, measure_title(analysis), "place", "of the first", "p95", "p99")
    legend = f"{legend_words(analysis)}."
    loop = " Closed loop: waits behind a stall are not in p95 and p99." if analysis.facts.is_closed else ""
    words = f"{legend} Intervals at 95 %.{loop} {client_line(analysis)}."
    return ["### Every place", table_text(titles, 5, rows), escaped(words)]


def _comparisons(analysis: StudyAnalysis) -> list[str]:
    pairs = analysis.comparisons
    if not pairs:
        return []
    places = [(pair.workload, pair.route, pair.tier_bytes, pair.concurrency) for pair in pairs]
    place_words = place_namer(places)
    rows = [
        [
            place_words(place),
            target_title(pair.left),
            target_title(pair.right),
            verdict_words(pair),
            ratio_words(pair.ratio, pair.low, pair.high),
            p_words(pair),
        ]
        for place, pair in zip(places, pairs, strict=True)
    ]
    table = table_text(("where", "left", "right", "verdict", "left / right", "adjusted p"), 2, rows)
    return folded(f"All {len(pairs)} comparisons", table)


def _capacity(analysis: StudyAnalysis) -> list[str]:
    found = capacity_sentences(analysis.capacity)
    return ["### Capacity", bullets(found)] if found else []


def _types(analysis: StudyAnalysis) -> list[str]:
    rows = [
        [target_title(cell.group.cell.target), f"{cell.group.cell.concurrency:,}", *_type_row(figures)]
        for cell in analysis.types
        for figures in cell.types
    ]
    if not rows:
        return []
    titles = ("target", "connections", "type", "count", "TPS", "p95", "p99")
    return folded("Transaction types", table_text(titles, 4, rows))


def _type_row(figures: TypeFigures) -> list[str]:
    latency = figures.latency_ns
    times = ["", ""] if latency is None else [milliseconds(latency.p95), milliseconds(latency.p99)]
    return [figures.name, f"{figures.completed:,}", figure(figures.tps), *times]


def _driven(analysis: StudyAnalysis) -> str:
    study = analysis.study
    words = f"{', '.join(choice.name for choice in study.workloads)}, {pacing_words(analysis)}"
    repeats = counted(study.repeats, "repeat")
    if study.imported is not None:
        result = f"window every interval line of a log, most often {study.window_words}, at most {repeats}"
        return f"{words}, {result}; warm-up, form of statements, random numbers and order not told"
    lengths = f"warm-up {study.warm_up_words}, window {study.window_words}"
    return f"{words}, {lengths}, {repeats}, order {study.order}"


def _how(analysis: StudyAnalysis) -> list[str]:
    study, manifest, host = analysis.study, analysis.results.manifest, analysis.results.host
    versions: dict[str, str] = {}
    for record in analysis.stored:
        versions.setdefault(record.run.cell.target, server_title(record))
    survives = {target: f"; durability: {words}" for target, words in durability_classes(analysis).items() if words}
    servers = [
        f"{target_title(target)}: {versions.get(target, 'no run yet')}{survives.get(target, '')}"
        for target in analysis.targets
    ]
    memory, courses = host.get("memory_bytes"), summarise_courses(analysis.stored)
    sentinel = judge_sentinel(analysis.records)
    machine = [str(host.get("cpu_model", "")), f"{host.get('logical_cpu_count', '?')} processors"]
    machine += [format_bytes(memory)] if isinstance(memory, int) and memory else []
    made = "measured" if study.imported is None else "imported"
    lines = [
        *servers,
        *settings_lines(study),
        _driven(analysis),
        *([f"sentinel: {sentinel_words(sentinel)}"] if sentinel else []),
        *([f"driven: {courses_words(courses)}"] if courses else []),
        *([study.bench_words] if study.bench is not None else []),
        f"machine: {', '.join(word for word in machine if word)}",
        f"{made} {clock_time(manifest.created_ns)} with dbdyno {manifest.dbdyno_version}",
    ]
    return ["### How", bullets(lines), f"Study `{manifest.study_digest}`, statistics `dbdyno-stats/1`."]
