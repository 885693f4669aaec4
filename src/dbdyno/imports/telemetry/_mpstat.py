"""Reads ``mpstat`` of sysstat: all processors together, and how busy the busiest one was."""

from __future__ import annotations

import re

from dbdyno.imports.telemetry._iostat import machine_facts
from dbdyno.imports.telemetry._readings import Series, ToolReports, clock_seconds, numbers

_MODES = {"usr": "user", "nice": "nice", "sys": "system", "iowait": "iowait", "irq": "irq", "soft": "softirq"}
_MODES |= {"steal": "steal", "guest": "guest", "gnice": "guest_nice", "idle": "idle"}
_ROW_RE = re.compile(r"^(\d\d:\d\d:\d\d(?: [AP]M)?)\s+(CPU|all|\d+)\s+(.*)$")


def read_mpstat(text: str) -> ToolReports:
    """Return reports of ``mpstat``, one for each line of all processors. Its first one is like the others."""
    series: dict[str, Series] = {}
    clocks: list[str] = []
    problems: list[tuple[int, str]] = []
    modes: list[str] = []
    busiest = Series("share")
    report = -1
    for line_number, line in enumerate(text.split("\n"), 1):
        match = _ROW_RE.match(line)
        if match is None:
            continue
        clock, processor, cells_text = match.groups()
        words = cells_text.split()
        if processor == "CPU":
            modes = [word.removeprefix("%") for word in words]
            continue
        values = numbers(words)
        if values is None or len(values) != len(modes):
            problems.append((line_number, f"not a whole line of mpstat: {line[:80]}"))
            continue
        shares = {mode: value / 100 for mode, value in zip(modes, values, strict=True)}
        if processor == "all":
            report += 1
            clocks.append(clock)
            _add_shares(series, report, shares)
        elif report >= 0 and "idle" in shares:
            _add_busiest_share(busiest, report, 1 - shares["idle"])
    if busiest.values:
        series["mpstat.cpu.busiest"] = busiest
    return ToolReports(
        series,
        report + 1,
        clock_seconds(clocks),
        has_since_boot=False,
        facts=machine_facts(text),
        diagnostics=tuple(problems),
    )


def _add_shares(series: dict[str, Series], report: int, shares: dict[str, float]) -> None:
    for mode, share in shares.items():
        if mode in _MODES:
            metric_series = series.setdefault(f"mpstat.cpu.{_MODES[mode]}", Series("share"))
            metric_series.reports.append(report)
            metric_series.values.append(share)


def _add_busiest_share(busiest: Series, report: int, share: float) -> None:
    if busiest.reports and busiest.reports[-1] == report:
        busiest.values[-1] = max(busiest.values[-1], share)
    else:
        busiest.reports.append(report)
        busiest.values.append(share)
