"""Builds the first screen: the question, the answer with its intervals, its limitations, and one chart."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dbdyno.analyse import Answer, CapacityJudgement
from dbdyno.audit import UNKNOWN
from dbdyno.core import counted, format_duration, target_title
from dbdyno.report._blocks import folded
from dbdyno.report._format import clock_time, limitations_title, opening_sentence, server_title, workload_title
from dbdyno.report._html import Html, element, join_html, shortened, to_html
from dbdyno.report._pacing import pacing_words
from dbdyno.report.charts import Chart
from dbdyno.report.sections._frame import Page, against_words, no_interval_words
from dbdyno.study import question_words

_FILTER_WORDS = (
    "A filter is on. Charts, tables and strips show your selection. The answer, headings, ranks and the best target "
    "still refer to the whole study. Shown: "
)
_MOST_SENTENCES = 4
_MOST_WORDS = 170
_WITHIN_FIGURE = re.compile(r" (?=±)|(?<=[\d±]) (?=[\d%]|(?:TPS|[KMG]iB|ms|s|min|h)\b)|(?<=[A-Z]) (?=\d+\.\d)")
"""Blanks between a number and its unit, a product and its version."""
_INTERVAL = re.compile(r"\(([+-]?[\d.,]+) to ([+-]?[\d.,]+)(?= %|\))")
_LONG_QUESTION = 70
_MOST_WORKLOADS = 2
_ON_PAPER = 3


def head_section(page: Page, charts: Sequence[Chart], *, is_paper: bool = False) -> Html:
    """Return question, answer with its chart, limitations.

    Parameters
    ----------
    is_paper : whether it is to fit one sheet, on which nothing can be unfolded
    """
    analysis = page.analysis
    answers = [
        _answer_sentence(page, words, is_first=words == analysis.answer.sentences[0])
        for words in analysis.answer.sentences
    ]
    limitation_items = [
        element("li", page.worded(caveat.text), data_code=caveat.code) for caveat in analysis.limitations
    ]
    chart = _first_chart(page, charts)
    limitations = _printed_limitations(limitation_items) if is_paper else _limitations_list(page, limitation_items)
    return element(
        "header",
        element("p", unbroken(_counts_line(page)), class_="kicker"),
        _question_heading(page),
        element("p", analysis.scaled_words, class_="audit-warning") if analysis.scaled_words else "",
        element("p", analysis.fairness.warning, class_="audit-warning") if analysis.fairness.warning else "",
        element(
            "div",
            element("div", element("h2", "Answer"), *_answer_paragraphs(answers, analysis.answer), class_="answer"),
            element(
                "div",
                element("p", page.worded(chart.lead), class_="lead") if chart is not None and chart.lead else "",
                *([page.place(chart)] if chart is not None else []),
                _conditions_paragraph(page),
                _targets_key(page),
                class_="plot",
            ),
            element("div", element("h2", "Limitations"), *limitations, class_="weak") if limitations else "",
            class_="first",
        ),
        element(
            "p", _FILTER_WORDS, element("b", id="filter-chosen"), id="filter-note", class_="filter-note", hidden=True
        ),
        class_="page-head paper" if is_paper else "page-head",
        id="answer",
    )


def unbroken(words: str) -> str:
    r"""Return words whose figures and names of engines stay on one line: with blanks at which no line is broken.

    >>> unbroken("MySQL 9.7 is 22 % slower (11 to 31 %).").split(" ")
    ['MySQL\xa09.7', 'is', '22\xa0%', 'slower', '(11\xa0to\xa031\xa0%).']
    """
    return _WITHIN_FIGURE.sub("\u00a0", _INTERVAL.sub("(\\1\u00a0to\u00a0\\2", words))


def _question_heading(page: Page) -> Html:
    """Return the heading; a long one is set smaller, so that the first chart stays on the first screen."""
    words = question_words(page.analysis.study)
    return element("h1", page.worded(unbroken(words)), class_="long" if len(words) > _LONG_QUESTION else None)


def _answer_paragraphs(answers: list[Html], answer: Answer) -> list[Html]:
    """Return sentences that leave room for the limitations on the first screen; of more than four the rest is folded.

    Shown are two, and of those that a reader needs first as many as are short enough together.
    """
    if len(answers) <= _MOST_SENTENCES:
        return answers
    word_counts = itertools.accumulate(len(sentence.split()) for sentence in answer.sentences[: answer.lead_count])
    shown_count = max(2, sum(count <= _MOST_WORDS for count in word_counts))
    rest = answers[shown_count:]
    if not rest:
        return answers
    return [*answers[:shown_count], to_html([folded(counted(len(rest), "more finding"), *rest)])]


def _answer_sentence(page: Page, words: str, *, is_first: bool) -> Html:
    """Return a sentence of the answer; of the first the verdict, which is what comes before its figures, is bold."""
    verdict, colon, figures = unbroken(words).partition(": ")
    if not is_first:
        return element("p", page.worded(verdict + colon + figures))
    return element("p", element("b", page.worded(verdict + colon.strip())), " ", page.worded(figures))


def _first_chart(page: Page, charts: Sequence[Chart]) -> Chart | None:
    """Return the throughput where the answer begins: with most memory."""
    if not charts:
        return None
    largest = max(charts, key=lambda chart: chart.panel[2] if chart.panel and len(chart.panel) == 3 else 0)
    is_curve = largest.panel is not None and len(largest.panel) == 3
    where = against_words(page.analysis.study.concurrencies)
    title = f"Throughput {where}, {largest.title}" if is_curve else largest.title
    return replace(largest, name="answer", title=title)


def _limitations_list(page: Page, items: list[Html]) -> list[Html]:
    """Return the one that matters most in a sentence, the others and its whole text on demand.

    So the answer stays what is read first.
    """
    if not items:
        return []
    first = page.analysis.limitations[0]
    opening = opening_sentence(first.text)
    is_whole = opening == first.text
    open_list = element("ul", items[0] if is_whole else element("li", page.worded(opening), data_code=first.code))
    folded_items = items[1:] if is_whole else items
    if not folded_items:
        return [open_list]
    title = limitations_title(len(items), is_first_whole=is_whole)
    return [open_list, to_html([folded(title, element("ul", *folded_items))])]


def _conditions_paragraph(page: Page) -> Html:
    """Return workload, window and pacing, and that no target falls if none does: the answer has the falls."""
    study, judgements = page.analysis.study, page.analysis.capacity
    workloads = ", ".join(workload_title(choice.label) for choice in study.workloads[:_MOST_WORKLOADS])
    rest_count = len(study.workloads) - _MOST_WORKLOADS
    workloads += f" and {rest_count} more" if rest_count > 0 else ""
    is_level = bool(judgements) and not any(judgement.falls for judgement in judgements)
    shape = f" No fall beyond the peak is shown up to {_most_connections(judgements)} connections." if is_level else ""
    words = f"{workloads}; windows of {study.window_words}; {pacing_words(page.analysis)}.{shape}"
    words += no_interval_words(page)
    return element("p", unbroken(words), class_="to-see")


def _most_connections(judgements: Sequence[CapacityJudgement]) -> str:
    return f"{max(max(judgement.levels) for judgement in judgements):,}"


def _printed_limitations(items: list[Html]) -> list[Html]:
    rest_count = len(items) - _ON_PAPER
    rest_note = [element("p", f"and {rest_count} more, see the whole report", class_="quiet")] if rest_count > 0 else []
    return [element("ul", *items[:_ON_PAPER]), *rest_note]


def _counts_line(page: Page) -> str:
    study, stored_records = page.analysis.study, page.analysis.stored
    axes = (
        (len(study.targets), "target", ""),
        (len(study.workloads), "workload", ""),
        (len(study.tiers_bytes), "memory size", ""),
        (len(study.concurrencies), "concurrency", "concurrencies"),
        (len(study.routes), "route", ""),
        (study.repeats, "repeat", ""),
    )
    axis_words = [counted(count, noun, plural) for count, noun, plural in axes if count > 1 or noun == "target"]
    planned, sentinel_count = len(page.analysis.records), sum(r.run.is_sentinel for r in page.analysis.records)
    is_whole = math.prod(count for count, _, _ in axes) == planned - sentinel_count
    counts = f" = {' × '.join(axis_words)}" if is_whole else f": {', '.join(axis_words)}"
    counts += f"{' + ' if is_whole else ', '}{sentinel_count:,} of the sentinel" if sentinel_count else ""
    runs = (
        counted(planned, "run")
        if len(stored_records) == planned
        else f"{len(stored_records)} of {counted(planned, 'run')} so far"
    )
    spans = [record.span for record in stored_records if record.span.started_ns]
    began_ns = min((span.started_ns for span in spans), default=0)
    start_words = f" · {clock_time(began_ns)}" if spans else ""
    duration_words = f" · {format_duration(max(span.ended_ns for span in spans) - began_ns)}" if spans else ""
    scaled = f" · scaled: {study.scaled}" if study.scaled else ""
    return f"{study.name}{scaled} · {runs}{counts}{start_words}{duration_words}"


def _targets_key(page: Page) -> Html:
    """Return the key: colour, symbol and version of each target."""
    versions: dict[str, str] = {}
    for record in page.analysis.stored:
        versions.setdefault(record.run.cell.target, server_title(record))
    durability = {look.target: page.analysis.fairness.durability(look.target) for look in page.palette.looks}
    are_alike = len(set(durability.values())) == 1
    items = [
        element(
            "li",
            _target_name_html(page, index),
            " ",
            element("code", address) if (address := _server_address(page, look.target)) else "",
            " ",
            element("span", _version_words(look.target, versions), class_="quiet"),
            element("span", f" · {durability[look.target]}", class_="quiet")
            if look.target in versions and not are_alike
            else "",
        )
        for index, look in enumerate(page.palette.looks)
    ]
    key = element("ul", *items, class_="key", aria_label="Targets and their colours")
    promise = next(iter(durability.values()), UNKNOWN)
    if not are_alike or promise == UNKNOWN:
        return key
    return join_html([key, element("p", f"Durability of all targets: {promise}.", class_="quiet")])


def _server_address(page: Page, target: str) -> str:
    """Return where a running server is, whole; empty of servers that dbdyno started."""
    engine = page.analysis.study.target(target).engine
    return engine.source_place if engine.source_kind == "server" else ""


def _version_words(target: str, versions: Mapping[str, str]) -> str:
    """Return what ran, as far as the target's name does not say it.

    >>> _version_words("mariadb:11.8", {"mariadb:11.8": "MariaDB 11.8.4"})
    '11.8.4'
    >>> _version_words("big", {"big": "MariaDB 11.8.4"})
    'MariaDB 11.8.4'
    >>> _version_words("mariadb:11.8.4 (s.sock)", {"mariadb:11.8.4 (s.sock)": "MariaDB 11.8.4"})
    ''
    """
    if target not in versions:
        return "no run yet"
    server_name, title = versions[target], target_title(target)
    product, _, version = server_name.partition(" + ")[0].rpartition(" ")
    if re.match(rf"{re.escape(product)} {re.escape(version)}(?![\d.])", title):
        return ""
    return version if product and title.startswith(f"{product} ") else server_name


def _target_name_html(page: Page, index: int) -> Html:
    """Return a target's symbol and name; of several each hides and shows its target."""
    look = page.palette.looks[index]
    words = join_html([page.symbol(look), element("b", shortened(target_title(look.target), 60), title=look.target)])
    if len(page.palette.looks) == 1:
        return words
    return element("button", words, type="button", data_target=index, aria_pressed="true", title="hide or show")
