"""Reads ``dstat``, as printed for people (rounded, with B, k, M and G) and as CSV of ``--output``."""

from __future__ import annotations

import csv
import re
from types import MappingProxyType

from dbdyno.imports.telemetry._readings import ColumnUnit, Series, ToolReports, clock_seconds, number

_BYTES, _OPS = "bytes/s", "ops/s"
_CPU = MappingProxyType(
    {
        "usr": ColumnUnit("cpu.user", "share", 0.01),
        "sys": ColumnUnit("cpu.system", "share", 0.01),
        "idl": ColumnUnit("cpu.idle", "share", 0.01),
        "wai": ColumnUnit("cpu.iowait", "share", 0.01),
        "hiq": ColumnUnit("cpu.irq", "share", 0.01),
        "siq": ColumnUnit("cpu.softirq", "share", 0.01),
        "stl": ColumnUnit("cpu.steal", "share", 0.01),
    }
)
_COLUMNS = MappingProxyType(
    {
        **{
            (group, name): unit
            for group in ("total-usage", "total-cpu-usage", "total cpu usage", "total usage")
            for name, unit in _CPU.items()
        },
        ("dsk/total", "read"): ColumnUnit("disk.read_bytes", _BYTES),
        ("dsk/total", "writ"): ColumnUnit("disk.written_bytes", _BYTES),
        ("io/total", "read"): ColumnUnit("disk.reads", _OPS),
        ("io/total", "writ"): ColumnUnit("disk.writes", _OPS),
        ("net/total", "recv"): ColumnUnit("network.received_bytes", _BYTES),
        ("net/total", "send"): ColumnUnit("network.sent_bytes", _BYTES),
        ("paging", "in"): ColumnUnit("swap.in_bytes", _BYTES),
        ("paging", "out"): ColumnUnit("swap.out_bytes", _BYTES),
        ("system", "int"): ColumnUnit("interrupts", _OPS),
        ("system", "csw"): ColumnUnit("context_switches", _OPS),
        ("procs", "run"): ColumnUnit("runnable", "count"),
        ("procs", "blk"): ColumnUnit("blocked", "count"),
        ("procs", "new"): ColumnUnit("started", _OPS),
        ("memory-usage", "used"): ColumnUnit("memory.used", "bytes"),
        ("memory-usage", "free"): ColumnUnit("memory.free", "bytes"),
    }
)
_FACTORS = {"B": 1.0, "k": 1024.0, "M": float(1 << 20), "G": float(1 << 30), "T": float(1 << 40)}
_DECIMAL = {"B": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_CLOCK_RE = re.compile(r"(?:\d\d-\d\d )?(\d\d:\d\d:\d\d)")
_MISSED_RE = re.compile(r" missed (\d{1,6}) ticks\s*$")
_SUMMED_WHEN_MISSED = "system"
"""The group whose numbers dstat does not divide by the seconds that it missed."""


def read_dstat(text: str) -> ToolReports:
    """Return the reports of ``dstat``, one per line. Its first one covers the time since the start, or nothing."""
    rows = _csv_rows(text) if text.lstrip().startswith('"') else _text_rows(text)
    series: dict[str, Series] = {}
    clocks: list[str] = []
    problems: list[tuple[int, str]] = []
    late_by_report: dict[int, int] = {}
    report = -1
    for line_number, columns, words, steps_s in rows:
        if words is None or columns is None:
            problems.append((line_number, "not a whole line of dstat"))
            continue
        report += 1
        if steps_s > 1:
            late_by_report[report] = steps_s - 1
        for key, word in zip(columns, words, strict=True):
            clock = _CLOCK_RE.fullmatch(word.strip()) if key[1] in ("time", "date/time") else None
            if clock:
                clocks.append(clock[1])
            unit = None if steps_s > 1 and key[0] == _SUMMED_WHEN_MISSED else _COLUMNS.get(key)
            value = None if unit is None else _parse_value(word.strip(), is_bytes=unit.unit.startswith("bytes"))
            if unit is not None and value is not None:
                metric_series = series.setdefault(f"dstat.{unit.name}", Series(unit.unit))
                metric_series.reports.append(report)
                metric_series.values.append(value * unit.factor)
    clock_s = clock_seconds(clocks) if len(clocks) == report + 1 else ()
    return ToolReports(series, report + 1, clock_s, late_s=late_by_report, diagnostics=tuple(problems))


_Row = tuple[int, list[tuple[str, str]] | None, list[str] | None, int]


def _text_rows(text: str) -> list[_Row]:
    """Return the line, columns (group and name), cells and seconds of every row; cells None where they don't fit."""
    rows: list[_Row] = []
    groups: list[str] = []
    columns: list[list[tuple[str, str]]] = []
    for line_number, line in enumerate(text.split("\n"), 1):
        if line.startswith("-"):
            groups = [word.strip("-") for word in re.split(r"[ |]+", line.strip()) if word.strip("-")]
            columns = []
        elif groups and not columns and "|" in line:
            group_texts = line.split("|")
            columns = [
                [(group, name) for name in group_text.split()]
                for group, group_text in zip(groups, group_texts, strict=False)
            ]
        elif columns and line.strip() and "|" in line:
            missed_match = _MISSED_RE.search(line)
            row_text = line[: missed_match.start()] if missed_match else line
            cells = _row_cells(columns, row_text.split("|"), is_first=not rows)
            rows.append((line_number, *cells, int(missed_match[1]) if missed_match else 1))
        elif columns and line.strip() and not re.match(r"[A-Za-z*]", line):
            rows.append((line_number, None, None, 1))
    return rows


def _row_cells(
    columns: list[list[tuple[str, str]]], group_texts: list[str], *, is_first: bool
) -> tuple[list[tuple[str, str]], list[str] | None]:
    """Return columns and cells of a row. The first row has no rates yet: their cells are blank, also in part."""
    flat = [key for group in columns for key in group]
    if len(group_texts) != len(columns):
        return flat, None
    words: list[str] = []
    for group, group_text in zip(columns, group_texts, strict=True):
        cells = [group_text.strip()] if [name for _, name in group] in (["time"], ["date/time"]) else group_text.split()
        if not group_text.strip() or (is_first and len(cells) < len(group)):
            cells = [""] * len(group)
        if len(cells) != len(group):
            return flat, None
        words += cells
    return flat, words


def _csv_rows(text: str) -> list[_Row]:
    rows: list[_Row] = []
    groups: list[str] = []
    columns: list[tuple[str, str]] = []
    header_cells: list[str] = []
    for line_number, line in enumerate(text.split("\n"), 1):
        try:
            cells = next(csv.reader([line]), [])  # each line alone: a stray quote must not swallow the next ones
        except csv.Error:
            cells = None
        if cells is None or (columns and line.count('"') % 2):
            rows.append((line_number, None, None, 1))
        elif cells and all(number(cell) is not None or _CLOCK_RE.fullmatch(cell) or not cell for cell in cells):
            if not columns:
                for cell in header_cells:
                    columns.append((groups[len(columns)] if len(columns) < len(groups) else "", cell))
            if any(cells):
                rows.append((line_number, columns, cells if len(cells) == len(columns) else None, 1))
        elif cells:
            filled_cells: list[str] = []
            for cell in header_cells:
                filled_cells.append(cell or (filled_cells[-1] if filled_cells else ""))
            groups, header_cells = filled_cells, cells
    return rows


def _parse_value(word: str, *, is_bytes: bool) -> float | None:
    """Return a number with dstat's letter: powers of two for bytes, of ten for counts.

    >>> _parse_value("78M", is_bytes=True), _parse_value("87k", is_bytes=False), _parse_value("-", is_bytes=True)
    (81788928.0, 87000.0, None)
    """
    if word[-1:] in _FACTORS:
        value = number(word[:-1])
        return None if value is None else value * (_FACTORS if is_bytes else _DECIMAL)[word[-1]]
    return number(word)
