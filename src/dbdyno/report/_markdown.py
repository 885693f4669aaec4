"""The report as Markdown, to be pasted into an issue: question, answer, what weakens it, tables, how it was made.

What comes from files is escaped, also against what forges make of plain text: names that notify people, numbers that
become links to issues, addresses that become links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from dbdyno.analyse import (
    by_place,
    capacity_sentences,
    counted,
    courses_words,
    judge_sentinel,
    place_words,
    ratio_words,
    sentinel_words,
    summarise_courses,
)
from dbdyno.claims import own_words, printed_words
from dbdyno.core import TypeFigures, format_bytes
from dbdyno.report._claims import HeldClaims, claim_words, followed_claims
from dbdyno.report._evidence import Evidence, gather
from dbdyno.report._format import clock_time, milliseconds
from dbdyno.report._out import put
from dbdyno.report._pacing import pacing_words
from dbdyno.report._terminal import cell_row, client_line, durability_classes, measure_title
from dbdyno.store import Results
from dbdyno.study import settings_lines

_SPECIAL = re.compile(r"([\\`*_\[\]|~])")
_CELL_MOST = 200
_SPELL = "<!-- -->"  # shows nothing, and keeps a forge from making a link of what it parts
_LINKS = re.compile(r"@(?=\w)|#(?=\d)|(?<=\bGH)-(?=\d)|(?<=\bwww)\.|:(?=//)")


def build_markdown(results: Results, out: Path, against: str = "") -> Path:
    """Write the report as Markdown; the file that was written.

    Parameters
    ----------
    against : as in `dbdyno.report.build_page`

    Raises
    ------
    StoreError : the file can't be written
    RequestError : no report of that name is known
    """
    return put(out, markdown_text(results, against).encode())


def markdown_text(results: Results, against: str = "") -> str:
    """The report of a study as Markdown; `against` as in `build_markdown`."""
    evidence = gather(results)
    claims = followed_claims(results, evidence.study, evidence.stored, evidence.judgements, against)
    parts = [
        [f"## {escaped(evidence.study.question or evidence.study.name)}"],
        [f"**{escaped(evidence.scaled_words)}**"] if evidence.scaled_words else [],
        [f"**{escaped(evidence.fairness.warning)}**"] if evidence.fairness.warning else [],
        [escaped(sentence) for sentence in evidence.answer.sentences],
        ["### What weakens it", bullets(caveat.text for caveat in evidence.weaknesses)] if evidence.weaknesses else [],
        _cells(evidence),
        _comparisons(evidence),
        _capacity(evidence),
        _types(evidence),
        [claims_markdown(claims)] if claims else [],
        _how(evidence),
    ]
    return "\n\n".join(block for part in parts for block in part) + "\n"


def claims_markdown(held: HeldClaims) -> str:
    """Claims of a published report as a table, what is found here beside the print."""
    titles = ("claim", "verdict", "what it says", "what to know of it", "printed", "here, 95 %")
    rows = [
        (
            row.claim.claim_id,
            row.told.outcome,
            claim_words(row),
            row.told.reason,
            printed_words(row.claim),
            own_words(row.claim, row.told),
        )
        for row in held.judged
    ]
    words = escaped(f"{held.report.title}. {held.tally}.")
    return "\n\n".join(["### What the report prints, and what is found here", words, table_text(titles, 2, rows)])


def escaped(text: str, most: int = 2000) -> str:
    r"""Text that stays text in Markdown, on one line; cut at `most` characters, for forges take 65,536 in all.

    >>> escaped("a|b <i> @root #12"), escaped("x_y\n*z*")
    ('a\\|b &lt;i&gt; @<!-- -->root #<!-- -->12', 'x\\_y \\*z\\*')
    """
    words = "".join(char if char.isprintable() else " " for char in text)
    words = words if len(words) <= most else f"{words[:most]}…"
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    words = _LINKS.sub(lambda match: match[0] + _SPELL, _SPECIAL.sub(r"\\\1", words))
    # What stands first in a line can make a heading or a list of it.
    return re.sub(r"^(\s*)([#+=-]|\d+[.)])(?=\s|$)", r"\1\\\2", words).strip()


def bullets(texts: Iterable[str]) -> str:
    """A list, a line each."""
    return "\n".join(f"- {escaped(text)}" for text in texts)


def folded(title: str, block: str) -> list[str]:
    """A block that a forge shows when it is opened; the title, our own words, stands in HTML."""
    return [f"<details><summary>{title}</summary>", block, "</details>"]


def table_text(titles: Sequence[str], numbers: int, rows: Iterable[Sequence[str]]) -> str:
    """A table whose last `numbers` columns stand right."""
    rule = ["---"] * (len(titles) - numbers) + ["---:"] * numbers
    lines = [list(titles), rule, *([escaped(cell, _CELL_MOST) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(evidence: Evidence) -> list[str]:
    places = by_place(evidence.judgements)
    classes = durability_classes(evidence)
    differ = len(set(classes.values())) > 1
    rows = []
    for place, group in sorted(places.items()):
        ordered = sorted(group, key=lambda judgement: -(judgement.tps_mean or 0.0))
        words = place_words(place, list(places)).removeprefix("with ").replace(" at ", ", ", 1)
        for index, judgement in enumerate(ordered):
            row = cell_row(evidence, judgement, ordered[0], len(group))
            survives = [classes.get(judgement.cell.target, "")] if differ else []
            rows.append([words if index == 0 else "", row[0].strip(), *survives, *(cell.strip() for cell in row[1:])])
    if not rows:
        return []
    names = ["where", "target", *(["a commit survives"] if differ else [])]
    titles = (*names, measure_title(evidence), "place", "of the first", "p95", "p99")
    legend = "place: places it may hold, ties overlap; ?: undecided; =: the same to within 3 %."
    loop = " Closed loop: waits behind a stall are not in p95 and p99." if evidence.facts.is_closed else ""
    words = f"{legend} Intervals at 95 %.{loop} {client_line(evidence)}."
    return ["### Every place", table_text(titles, 5, rows), escaped(words)]


def _comparisons(evidence: Evidence) -> list[str]:
    pairs = evidence.comparisons
    if not pairs:
        return []
    places = [(pair.workload, pair.route, pair.tier_bytes, pair.concurrency) for pair in pairs]
    rows = [
        [
            place_words(place, places),
            pair.left,
            pair.right,
            pair.verdict,
            ratio_words(pair.ratio, pair.low, pair.high),
            f"{pair.p_adjusted:.2g}",
        ]
        for place, pair in zip(places, pairs, strict=True)
    ]
    table = table_text(("where", "left", "right", "verdict", "left / right", "adjusted p"), 2, rows)
    return folded(f"All {len(pairs)} comparisons", table)


def _capacity(evidence: Evidence) -> list[str]:
    found = capacity_sentences(evidence.capacity)
    return ["### Capacity", bullets(found)] if found else []


def _types(evidence: Evidence) -> list[str]:
    rows = [
        [cell.group.cell.target, f"{cell.group.cell.concurrency:,}", *_type_row(figures)]
        for cell in evidence.types
        for figures in cell.types
    ]
    if not rows:
        return []
    titles = ("target", "connections", "type", "count", "TPS", "p95", "p99")
    return folded("Transaction types", table_text(titles, 4, rows))


def _type_row(figures: TypeFigures) -> list[str]:
    latency = figures.latency_ns
    times = ["", ""] if latency is None else [milliseconds(latency.p95), milliseconds(latency.p99)]
    return [figures.name, f"{figures.completed:,}", f"{figures.tps:,.4g}", *times]


def _driven(evidence: Evidence) -> str:
    study = evidence.study
    words = f"{', '.join(choice.name for choice in study.workloads)}, {pacing_words(evidence)}"
    repeats = counted(study.repeats, "repeat")
    if study.imported is not None:
        told = f"window every interval line of a log, most often {study.window_words}, at most {repeats}"
        return f"{words}, {told}; warm-up, form of statements, random numbers and order not told"
    lengths = f"warm-up {study.warm_up_words}, window {study.window_words}"
    return f"{words}, {lengths}, {repeats}, order {study.order}"


def _how(evidence: Evidence) -> list[str]:
    study, manifest, host = evidence.study, evidence.results.manifest, evidence.results.host
    versions: dict[str, str] = {}
    for record in evidence.stored:
        versions.setdefault(record.run.cell.target, f"{record.family} {record.version}, {record.storage_engine}")
    survives = {target: f"; durability: {words}" for target, words in durability_classes(evidence).items() if words}
    servers = [
        f"{target}: {versions.get(target, 'no run yet')}{survives.get(target, '')}" for target in evidence.targets
    ]
    memory, courses = host.get("memory_bytes"), summarise_courses(evidence.stored)
    sentinel = judge_sentinel(evidence.records)
    machine = [str(host.get("cpu_model", "")), f"{host.get('logical_cpu_count', '?')} processors"]
    machine += [format_bytes(memory)] if isinstance(memory, int) and memory else []
    made = "measured" if study.imported is None else "imported"
    lines = [
        *servers,
        *settings_lines(study),
        _driven(evidence),
        *([f"sentinel: {sentinel_words(sentinel)}"] if sentinel else []),
        *([f"driven: {courses_words(courses)}"] if courses else []),
        f"machine: {', '.join(word for word in machine if word)}",
        f"{made} {clock_time(manifest.created_ns)} with dbdyno {manifest.dbdyno_version}",
    ]
    return ["### How", bullets(lines), f"Study `{manifest.study_digest}`, statistics `dbdyno-stats/1`."]
