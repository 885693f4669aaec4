"""Reads ``vmstat`` of procps, in its usual units (KiB)."""

from __future__ import annotations

import re
from types import MappingProxyType

from dbdyno.imports.telemetry._readings import ColumnUnit, Series, ToolReports, clock_seconds, numbers

_KIB = 1024.0
_COLUMNS = MappingProxyType(
    {
        "r": ColumnUnit("runnable", "count"),
        "b": ColumnUnit("blocked", "count"),
        "swpd": ColumnUnit("memory.swapped", "bytes", _KIB),
        "free": ColumnUnit("memory.free", "bytes", _KIB),
        "buff": ColumnUnit("memory.buffers", "bytes", _KIB),
        "cache": ColumnUnit("memory.page_cache", "bytes", _KIB),
        "si": ColumnUnit("swap.in_bytes", "bytes/s", _KIB),
        "so": ColumnUnit("swap.out_bytes", "bytes/s", _KIB),
        "bi": ColumnUnit("disk.read_bytes", "bytes/s", _KIB),
        "bo": ColumnUnit("disk.written_bytes", "bytes/s", _KIB),
        "in": ColumnUnit("interrupts", "ops/s"),
        "cs": ColumnUnit("context_switches", "ops/s"),
        "us": ColumnUnit("cpu.user", "share", 0.01),
        "sy": ColumnUnit("cpu.system", "share", 0.01),
        "id": ColumnUnit("cpu.idle", "share", 0.01),
        "wa": ColumnUnit("cpu.iowait", "share", 0.01),
        "st": ColumnUnit("cpu.steal", "share", 0.01),
        "gu": ColumnUnit("cpu.guest", "share", 0.01),
    }
)
_CLOCK_RE = re.compile(r"\s+\d{4}-\d\d-\d\d (\d\d:\d\d:\d\d)\s*$")


def read_vmstat(text: str) -> ToolReports:
    """Return reports of ``vmstat``, one a line."""
    series: dict[str, Series] = {}
    clocks: list[str] = []
    problems: list[tuple[int, str]] = []
    columns: list[ColumnUnit | None] = []
    report = -1
    for line_number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0] == "procs":
            continue
        if words[:2] == ["r", "b"]:
            columns = [_COLUMNS.get(word) for word in words]
            continue
        clock = _CLOCK_RE.search(line)
        if clock:
            words = line[: clock.start()].split()
        values = numbers(words)
        if not columns or values is None or not 16 <= len(values) <= len(columns):
            problems.append((line_number, f"not a whole line of vmstat: {line[:80]}"))
            continue
        report += 1
        clocks += [clock[1]] if clock else []
        for column, value in zip(columns, values, strict=False):
            if column is not None:
                metric_series = series.setdefault(f"vmstat.{column.name}", Series(column.unit))
                metric_series.reports.append(report)
                metric_series.values.append(value * column.factor)
    return ToolReports(
        series, report + 1, clock_seconds(clocks) if len(clocks) == report + 1 else (), diagnostics=tuple(problems)
    )
