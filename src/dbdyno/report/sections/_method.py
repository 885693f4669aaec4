"""Says how the runs of a study were made and judged."""

from __future__ import annotations

from dbdyno.analyse import METHOD, courses_words, judge_sentinel, sentinel_words, summarise_courses
from dbdyno.core import format_duration
from dbdyno.report._blocks import Terms
from dbdyno.report._format import figure
from dbdyno.report._pacing import pacing_words
from dbdyno.report._round_trips import round_trip_words
from dbdyno.report.sections._frame import Page
from dbdyno.study import Imported


def method_list(page: Page) -> Terms:
    """Return how the runs were made and judged."""
    study = page.analysis.study
    statistics = {
        "noise": "95 % half-width of a window: the wider of autocorrelation time (Geyer) and five batch means",
        "spread": "between repeats on ln(TPS), moderated over all cells if eight or more are repeated (Smyth 2004)",
        "comparison": (
            "Welch on ln(TPS), p adjusted within a place (Holm), 3 % margin, two one-sided tests for equality"
        ),
        "statistics": METHOD,
    }
    method_terms = (
        _measured_method(page)
        if study.imported is None
        else _imported_method(study.imported, format_duration(study.window_ns))
    )
    return Terms({**method_terms, **statistics, "pacing": pacing_words(page.analysis)}.items())


def _imported_method(imported: Imported, window: str) -> dict[str, str]:
    """Return where the runs come from; how they were made, only their makers know."""
    return {
        "runs": f"read from logs of {imported.tool} in {imported.origin}",
        "window, judged": f"every interval line of a log, most often {window}",
        "warm-up, statement protocol, random numbers, order, pinning": "not in the logs",
    }


def _measured_method(page: Page) -> dict[str, str]:
    """Return how the runs were made, as the study orders it."""
    study = page.analysis.study
    return {
        "warm-up, not judged": study.warm_up_words,
        "window, judged": study.window_words,
        **_adaptive_length_terms(page),
        "repeats": study.repeats_words,
        "order": f"{study.order}, seed {study.seed}",
        **_sentinel_terms(page),
        "statements": f"{study.protocol}, random numbers of {study.rng}",
        **({} if not study.benches else {"machines": study.bench_words, **_clock_terms(page)}),
        **({} if not study.shaped_routes else {"shaped routes": study.shaped_words}),
        **({} if not (words := round_trip_words(page.analysis)) else {"round trips before the load": words}),
        "processors of the server": _cpus_words(study.pinning.server),
        "processors of the client": _cpus_words(study.pinning.client),
        **({} if study.limits.memory is None else {"memory limit of each server": str(study.limits.memory)}),
        **(
            {} if (most := study.limits.connections) is None else {"connections that servers are set up for": str(most)}
        ),
    }


def _clock_terms(page: Page) -> dict[str, str]:
    """Return how well the clock of the servers' host was known, at its worst; telemetry is mapped by it."""
    read_document = page.analysis.results.optional_document
    telemetry_documents = [read_document(record.run.run_id, "telemetry") or {} for record in page.analysis.records]
    clocks = [document["clock"] for document in telemetry_documents if document.get("clock")]
    if not clocks:
        return {}
    bound_ms, trip_ms = (max(clock[name] for clock in clocks) / 1e6 for name in ("bound_ns", "round_trip_ns"))
    drifts = [abs(clock["drift_ppm"]) for clock in clocks if clock["drift_ppm"] is not None]
    words = f"known to {figure(bound_ms, 2)} ms in every run; shortest round trip up to {figure(trip_ms, 2)} ms"
    return {"clock of the servers' host": words + (f"; drift up to {figure(max(drifts), 2)} ppm" if drifts else "")}


def _sentinel_terms(page: Page) -> dict[str, str]:
    sentinel = judge_sentinel(page.analysis.records)
    return {} if sentinel is None else {"sentinel, to detect drift of the machine": sentinel_words(sentinel)}


def _adaptive_length_terms(page: Page) -> dict[str, str]:
    """Return what became of lengths that were left to the runs."""
    courses = summarise_courses(page.analysis.stored)
    if courses is None:
        return {}
    return {
        "actual lengths": courses_words(courses),
        "judged again from stored seconds": "the same for every run"
        if not any(caveat.code == "course-differs" for caveat in page.analysis.limitations)
        else "differs between runs, see the caveats",
    }


def _cpus_words(cpus: tuple[int, ...] | None) -> str:
    return "left to the scheduler" if cpus is None else ", ".join(map(str, cpus))
