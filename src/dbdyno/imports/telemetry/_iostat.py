"""Reads ``iostat`` of sysstat: extended or plain, in kB or MB, with or without processors and clock."""

from __future__ import annotations

import re
from types import MappingProxyType

from dbdyno.imports.telemetry._readings import ColumnUnit, Series, ToolReports, clock_seconds, number, numbers

_MIB, _KIB = float(1 << 20), 1024.0
_BYTES, _OPS = "bytes/s", "ops/s"
_COLUMNS = MappingProxyType(
    {
        "r/s": ColumnUnit("reads", _OPS),
        "w/s": ColumnUnit("writes", _OPS),
        "tps": ColumnUnit("operations", _OPS),
        "rMB/s": ColumnUnit("read_bytes", _BYTES, _MIB),
        "wMB/s": ColumnUnit("written_bytes", _BYTES, _MIB),
        "rkB/s": ColumnUnit("read_bytes", _BYTES, _KIB),
        "wkB/s": ColumnUnit("written_bytes", _BYTES, _KIB),
        "MB_read/s": ColumnUnit("read_bytes", _BYTES, _MIB),
        "MB_wrtn/s": ColumnUnit("written_bytes", _BYTES, _MIB),
        "kB_read/s": ColumnUnit("read_bytes", _BYTES, _KIB),
        "kB_wrtn/s": ColumnUnit("written_bytes", _BYTES, _KIB),
        "r_await": ColumnUnit("read_wait", "ms"),
        "w_await": ColumnUnit("write_wait", "ms"),
        "await": ColumnUnit("wait", "ms"),
        "f/s": ColumnUnit("flushes", _OPS),
        "f_await": ColumnUnit("flush_wait", "ms"),
        "aqu-sz": ColumnUnit("queue", "count"),
        "avgqu-sz": ColumnUnit("queue", "count"),
        "%util": ColumnUnit("busy", "share", 0.01),
    }
)
_CPU = MappingProxyType({f"%{mode}": mode for mode in ("user", "nice", "system", "iowait", "steal", "idle")})
_CLOCK_RE = re.compile(r"^\d\d[/.-]\d\d[/.-]\d{2,4} +(\d\d:\d\d:\d\d(?: [AP]M)?)\s*$|^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)")
HEAD_RE = re.compile(r"^Linux (\S+) \(([^)]*)\)\s+(\S+)\s+(\S+)\s+\((\d{1,6}) CPU\)")


def read_iostat(text: str) -> ToolReports:
    """Return reports of ``iostat``, one for each table of devices."""
    series: dict[str, Series] = {}
    clocks: list[str] = []
    problems: list[tuple[int, str]] = []
    columns: list[ColumnUnit | None] = []
    cpu: list[str | None] = []
    report = -1
    for line_number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words:
            columns = []
        elif words[0].startswith("Device"):
            report += 1
            columns = [_COLUMNS.get(word) for word in words[1:]]
        elif words[0] == "avg-cpu:":
            cpu = [_CPU.get(word) for word in words[1:]]
        elif cpu:
            _add_cpu_row(series, report + 1, cpu, words)
            cpu = []
        elif columns:
            if not _add_device_row(series, report, columns, words):
                problems.append((line_number, f"not a whole line of iostat: {line[:80]}"))
        elif match := _CLOCK_RE.match(line):
            clocks.append(match[1] or match[2])
    # A file that ends between the clock of a report and its table of devices has one clock more.
    clock = clock_seconds(clocks[: report + 1]) if len(clocks) in (report + 1, report + 2) else ()
    return ToolReports(
        _remove_idle_devices(series), report + 1, clock, facts=machine_facts(text), diagnostics=tuple(problems)
    )


def machine_facts(text: str) -> dict[str, str | int]:
    r"""Return what the first line of sysstat's tools says of the machine.

    >>> machine_facts("Linux 6.8.0 (node1) \t03/12/2026 \t_x86_64_\t(80 CPU)")["logical_cpu_count"]
    80
    """
    match = HEAD_RE.match(text)
    if match is None:
        return {}
    kernel, hostname, _, architecture, cpus = match.groups()
    return {
        "hostname": hostname,
        "kernel": kernel,
        "architecture": architecture.strip("_"),
        "logical_cpu_count": int(cpus),
    }


def _add_device_row(series: dict[str, Series], report: int, columns: list[ColumnUnit | None], words: list[str]) -> bool:
    values = numbers(words[1:])
    if values is None or len(values) != len(columns):
        return False
    for column, value in zip(columns, values, strict=True):
        if column is not None:
            metric_series = series.setdefault(f"iostat.{words[0]}.{column.name}", Series(column.unit))
            metric_series.reports.append(report)
            metric_series.values.append(value * column.factor)
    return True


def _add_cpu_row(series: dict[str, Series], report: int, modes: list[str | None], words: list[str]) -> None:
    for mode, word in zip(modes, words, strict=False):
        value = number(word)
        if mode and value is not None:
            metric_series = series.setdefault(f"iostat.cpu.{mode}", Series("share"))
            metric_series.reports.append(report)
            metric_series.values.append(value / 100)


def _remove_idle_devices(series: dict[str, Series]) -> dict[str, Series]:
    """Remove the devices that did nothing after the report since the start of the machine."""
    busy_devices = {
        name.rpartition(".")[0]
        for name, metric_series in series.items()
        if any(value for report, value in zip(metric_series.reports, metric_series.values, strict=True) if report > 0)
    }
    return {name: metric_series for name, metric_series in series.items() if name.rpartition(".")[0] in busy_devices}
