"""Says how long the round trip from each machine of the client to the server was, as measured before the loads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from dbdyno.core import Route
from dbdyno.report._format import figure
from dbdyno.report._study_analysis import StudyAnalysis

_Reading = tuple[Route, str, int, int | None]
"""Route, load host (empty: this machine), round trip in nanoseconds, that without shaping."""


def round_trip_words(analysis: StudyAnalysis) -> str:
    """Return the median round trip of each network route over the runs, by load host; empty where none was measured."""
    trips: dict[Route, dict[str, list[tuple[int, int | None]]]] = defaultdict(lambda: defaultdict(list))
    for record in analysis.records:
        document = analysis.results.optional_document(record.run.run_id, "telemetry") or {}
        for route, host, trip_ns, unshaped_ns in _readings(record.run.cell.route, document):
            trips[route][host].append((trip_ns, unshaped_ns))
    return "; ".join(f"{route}: {', '.join(map(_host_words, by_host.items()))}" for route, by_host in trips.items())


def _readings(route: Route, document: Mapping[str, Any]) -> Iterator[_Reading]:
    network, shaping = document.get("network") or {}, document.get("shaping") or {}
    unshaped_rows = shaping.get("hosts") or {"": shaping}
    for host, row in (network.get("hosts") or {"": network}).items():
        if row.get("round_trip_ns") is not None:
            yield route, host, row["round_trip_ns"], unshaped_rows.get(host, {}).get("round_trip_unshaped_ns")


def _host_words(host_readings: tuple[str, list[tuple[int, int | None]]]) -> str:
    host, readings = host_readings
    words = f"{host} {_milliseconds([trip_ns for trip_ns, _ in readings])}".strip()
    unshaped = [trip_ns for _, trip_ns in readings if trip_ns is not None]
    return f"{words} ({_milliseconds(unshaped)} unshaped)" if unshaped else words


def _milliseconds(times_ns: list[int]) -> str:
    return f"{figure(median(times_ns) / 1e6, 3)} ms"
