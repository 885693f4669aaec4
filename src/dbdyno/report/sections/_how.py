"""Shows how a study was done: order of runs, datasets, engines, machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dbdyno.core import RunRecord, counted, format_duration, format_memory, target_title
from dbdyno.report._blocks import (
    Block,
    Box,
    Column,
    Fold,
    Heading,
    Section,
    Table,
    Terms,
    data_behind,
    folded,
    rest,
    section,
    to_see,
)
from dbdyno.report._format import client_words, clock_time, figure, humanised, label
from dbdyno.report._html import element, shortened, to_html
from dbdyno.report._machine import machine_words
from dbdyno.report._settings import EMPTY
from dbdyno.report.charts import timeline_chart
from dbdyno.report.sections._frame import Page
from dbdyno.report.sections._method import method_list
from dbdyno.report.sections._same import sameness
from dbdyno.study import Study

_MOST_REASON = 200
_ORDER_WORDS = "Targets take turns, so a drift of the machine affects all of them."
_WRITTEN_ORDER_WORDS = (
    "Each repeat has the order of the study file, so a drift of the machine can look like a difference between cells."
)
_OUTLINED_WORDS = "Outlined bars are failed or suspect runs."
_IMPORTED_WORDS = "The runs were imported. Their logs do not record when or in which order they ran."


def how_section(page: Page) -> Section:
    """Return order of runs, populate, environment, method."""
    chart = timeline_chart(page.analysis, page.palette)
    order = [chart] if chart else []
    return section(
        "how",
        "How it was done",
        rest("method", "Method", method_list(page)),
        rest(
            "order",
            "Order of runs",
            *order,
            to_see(_order_words(page.analysis.study)),
            data_behind(_run_table(page), "Every run in order as a table"),
        ),
        rest("same", "Same data, same results", *sameness(page.analysis)),
        rest("datasets", "Datasets", _document_cards(page, "dataset")),
        rest("engines", "Engines", _document_cards(page, "engine")),
        rest(
            "machine",
            "Machine",
            element("div", to_html(machine_findings(page)), id="machine"),
            *(facts_blocks(host) if (host := page.analysis.results.host) else [to_see("Nothing was stored.")]),
        ),
    )


def _order_words(study: Study) -> str:
    """Return what the order of the runs does to a comparison, and what outlined bars are."""
    if study.imported is not None:
        return _IMPORTED_WORDS
    if study.order != "interleaved":
        return f"{_WRITTEN_ORDER_WORDS} {_OUTLINED_WORDS}"
    return f"{_ORDER_WORDS} {_OUTLINED_WORDS}" if len(study.targets) > 1 else _OUTLINED_WORDS


def _run_table(page: Page) -> Table:
    columns = [Column("run", True), Column("target"), Column("memory"), Column("connections", True), Column("workload")]
    columns += [
        *page.route_columns,
        Column("repeat", True),
        Column("status"),
        Column("started"),
        Column("took"),
        Column("TPS", True),
    ]
    columns += [
        Column("± noise", True),
        Column("errors"),
        Column("client used", True),
        Column("client CPU per statement"),
    ]
    columns += [Column("server CPU per transaction"), Column("reason or caveat")]
    rows = []
    for record in page.analysis.records:
        cell = record.run.cell
        cell_words = [target_title(cell.target), format_memory(cell.tier_bytes), f"{cell.concurrency:,}", cell.workload]
        duration_words = (
            format_duration(record.span.ended_ns - record.span.started_ns)
            if record.span.ended_ns > record.span.started_ns
            else ""
        )
        start_time = clock_time(record.span.started_ns) if record.span.started_ns else ""
        noise = figure(record.level_half_width, 2) if record.level_half_width is not None else ""
        errors = ", ".join(f"{count:,} × {code}" for code, count in record.figures.errors.items())
        cpu = [_cpu_cell(record.cpu.client_cpu_ns_per_statement), _cpu_cell(record.cpu.server_cpu_ns_per_transaction)]
        reason = record.reason or "; ".join(caveat.text for caveat in record.caveats)
        head = [
            str(record.run.order_index + 1),
            *cell_words,
            *page.route_cells(cell.route),
            str(record.run.repeat),
            record.status,
            start_time,
            duration_words,
        ]
        rows.append(
            [
                *head,
                _level_cell(record),
                noise,
                errors,
                client_words(record),
                *cpu,
                shortened(reason, _MOST_REASON, page.worded),
            ]
        )
    facets = [page.facets.of_cell(record.run.cell) for record in page.analysis.records]
    return Table("runs", "Runs in the order of the plan", columns, rows, facets=facets)


def _level_cell(record: RunRecord) -> str:
    """Return the level of a run, with its whole window's mean if that differs; in brackets if it has not settled."""
    if record.level_tps is None or record.figures.tps_mean is None:
        return ""
    if not record.is_settled:
        return f"({figure(record.level_tps)})"
    return figure(record.level_tps) + (
        f" (whole window {figure(record.figures.tps_mean)})" if record.is_window_off else ""
    )


def _cpu_cell(value_ns: float | None) -> str:
    return "" if value_ns is None else f"{figure(value_ns / 1000)} µs"


def _document_cards(page: Page, kind: str) -> Block:
    """Return stored facts of each target's engine or dataset."""
    read_document = page.analysis.results.engine if kind == "engine" else page.analysis.results.dataset
    documents = [(target, read_document(target)) for target in page.analysis.targets]
    cards = [
        Box(
            [Heading(target_title(target), 4), *facts_blocks({k: v for k, v in facts.items() if k != "target"})],
            "card",
            page.facets.of(targets=[target]),
        )
        for target, facts in documents
        if facts is not None
    ]
    return Box(cards, "cards") if cards else to_see("Nothing was stored.")


def facts_blocks(facts: Mapping[str, Any]) -> list[Block]:
    """Return a stored document for people: simple facts as a list, lists of records as tables on demand."""
    terms: list[tuple[str, str]] = []
    nested_blocks: list[Block] = []
    for key, value in facts.items():
        if isinstance(value, Mapping) and value:
            nested_blocks.append(folded(label(key), *facts_blocks(value), is_open=len(value) <= 4))
        elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            nested_blocks += _record_blocks(key, value)
        else:
            terms.append((label(key), humanised(key, value)))
    return [*([Terms(terms, most=300)] if terms else []), *nested_blocks]


def _record_blocks(key: str, records: list[Mapping[str, Any]]) -> list[Block]:
    """Return flat records as a table; records that hold more than plain values one after the other."""
    if all(not isinstance(value, Mapping | list) for record in records for value in record.values()):
        return [_records_table(key, records)]
    return [block for record in records for block in facts_blocks(record)]


def _records_table(key: str, records: list[Mapping[str, Any]]) -> Fold:
    names = list(dict.fromkeys(name for record in records for name in record))
    rows = [[humanised(name, record.get(name)) for name in names] for record in records]
    table = Table(label(key).replace(" ", "-"), label(key), [Column(label(name), most=80) for name in names], rows)
    return folded(f"{len(records)} {label(key)}", table)


def machine_findings(page: Page) -> list[Block]:
    """Return the machines, if several made runs, then findings, with what each does to a result and what mends it."""
    return [*_machines_table(page.analysis.machine.machines), *_examination_blocks(page)]


def _machines_table(machines: Sequence[Mapping[str, Any]]) -> list[Block]:
    if not machines:
        return []
    are_benches = any("bench" in facts for facts in machines)
    columns = [*([Column("bench")] if are_benches else []), Column("machine"), Column("processors and memory")]
    rows = [
        [
            *([str(facts.get("bench", EMPTY))] if are_benches else []),
            str(facts.get("hostname") or EMPTY),
            machine_words(facts),
        ]
        for facts in machines
    ]
    return [Table("machines", "Machines that made the runs", columns, rows)]


def _examination_blocks(page: Page) -> list[Block]:
    machine = page.analysis.machine
    if not machine.times:
        return [to_see("The machine was not checked.")]
    checked_words = f"Checked {_examined_words(machine.host_count, machine.times)} before runs began."
    if not machine.found:
        return [to_see(f"{checked_words} Nothing was found."), *_unchecked_blocks(page)]
    columns = [Column("weight"), Column("about"), Column("seen"), Column("effect"), Column("remedy")]
    rows = [
        [
            finding.severity,
            finding.title,
            _seen_words(finding.seen, times, machine.examined_times[finding.check_id]),
            finding.effect,
            finding.remedy,
        ]
        for finding, times in machine.found
    ]
    return [
        to_see(checked_words),
        Table("machine-findings", "Findings about the machine", columns, rows),
        *_unchecked_blocks(page),
    ]


def _examined_words(host_count: int, times: int) -> str:
    if host_count == 1:
        return counted(times, "time")
    return counted(host_count, "machine") + (f" ({times} times in all)" if times > host_count else "")


def _seen_words(words: str, times: int, check_count: int) -> str:
    return words if times == check_count else f"{words} ({times} of {check_count} times)"


def _unchecked_blocks(page: Page) -> list[Block]:
    unknown_outcomes = page.analysis.machine.unknown
    if not unknown_outcomes:
        return []
    words = "; ".join(f"{outcome.title}: {outcome.seen}" for outcome in unknown_outcomes)
    return [to_see(f"Could not be checked: {words}.")]
