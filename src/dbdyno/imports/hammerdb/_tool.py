"""Presents HammerDB to the import: reads one run from its log, its counter and its time profile."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from dbdyno.core import Caveat, OrderRates, ToolFigures, TotalFigures, counted
from dbdyno.imports._caveats import (
    FloatArray,
    about_coverage,
    about_intervals,
    about_totals,
    about_window,
    judgement,
    throughput,
)
from dbdyno.imports._lines import window_table
from dbdyno.imports._run import PartFacts, RunInput, ToolRun, Wrong
from dbdyno.imports._tool import Companion, Tool, no_run
from dbdyno.imports.hammerdb._counter import CounterReading, read_counter
from dbdyno.imports.hammerdb._log import Facts, is_hammerdb, job_report, log_facts, log_parts
from dbdyno.imports.hammerdb._profile import Profile, profile_of_rows, read_profiles, read_tables, users_in_tables
from dbdyno.store import JsonValue
from dbdyno.tables import Table

COUNTER, PROFILE = "transaction-counter", "time-profile"
_SERVER_COUNTED = Caveat(
    "server-counted",
    "the server counted: TPM is every commit and rollback of all its sessions, NOPM the growth of its order numbers, "
    "both in whole numbers per minute",
)
_COUNTER_OFFSET = Caveat(
    "counter-offset",
    "counter readings are assigned to the timed minutes by their print time: the first may cover seconds of the "
    "ramp-up, and as many are missing at the end",
)
_PACING = Caveat("pacing-unknown", "the log does not say whether its users key and think between transactions")


@dataclass(frozen=True, slots=True)
class _TimedReadings:
    """Describes the counter's readings inside of the timed minutes.

    Parameters
    ----------
    problem : why there are none although it was read; empty when there are, or it was not there
    """

    tpm: FloatArray
    interval_s: int = 10
    is_told: bool = False
    readings: tuple[CounterReading, ...] = ()
    problem: str = ""


def survey(text: str) -> tuple[PartFacts, ...]:
    """Return the timed runs of a log."""
    part_facts = []
    for part in log_parts(text):
        minutes = log_facts(text[part.start : part.end]).minutes
        part_facts.append(PartFacts(part.head, part.head.threads, part.first_line, 60 * (minutes or 0), bool(minutes)))
    return tuple(part_facts)


def read(source: RunInput) -> ToolRun:
    """Read one run with everything that the store keeps of it."""
    parts = log_parts(source.text)
    part = parts[source.part_index]
    part_text = source.text[part.start : part.end]
    facts = log_facts(part_text)
    timed_readings, counter_problems = _window_readings(source, part_text, facts, len(parts))
    profile, profile_problem, profile_problems = _run_profile(source, part_text, facts, len(parts))
    total = None if facts.tpm is None else facts.tpm / 60
    mean, half_width = throughput(timed_readings.tpm / 60, total)
    window_s = 60.0 * facts.minutes if facts.minutes else float(len(timed_readings.tpm) * timed_readings.interval_s)
    failure = "" if mean else "no transaction completed" if mean == 0 else "the log holds no test result"
    remarks = [
        _SERVER_COUNTED,
        about_intervals(len(timed_readings.tpm), timed_readings.interval_s, is_told=timed_readings.is_told),
        about_coverage(float(len(timed_readings.tpm) * timed_readings.interval_s), 60.0 * (facts.minutes or 0)),
        Caveat("counter-left-out", timed_readings.problem) if timed_readings.problem else None,
        _COUNTER_OFFSET if len(timed_readings.tpm) else None,
        about_totals(total, mean),
        _profile_caveat(profile, profile_problem),
        _PACING,
        about_window(window_s)
        if window_s
        else Caveat("duration-unknown", "the log does not give the length of the run"),
    ]
    problems = sorted((*counter_problems.get("log", ()), *profile_problems.get("log", ())))
    last_line = part.last_line(part_text)
    end_problems = () if facts.tpm is not None else ((last_line, "the log ends here, without a test result"),)
    return ToolRun(
        head=part.head,
        judgement=judgement(failure, [_cut_off_caveat(facts), _failed_users_caveat(facts)], remarks),
        tool=ToolFigures(f"HammerDB {part.head.version}".strip(), tps=total, elapsed_s=window_s or None),
        figures=TotalFigures(
            window_s=window_s,
            tps_mean=mean or None,
            tps_half_width=half_width if mean else None,
            transactions=round((total or mean or 0.0) * window_s),
            errors=facts.errors,
        ),
        types=profile.types if profile else (),
        orders=None if facts.nopm is None else OrderRates(None, None, float(facts.nopm), float(facts.tpm or 0)),
        seconds=_seconds_table(timed_readings),
        start={
            "version": part.head.version or None,
            "virtual_users": facts.users,
            "ramp_minutes": facts.ramp_minutes,
            "minutes": facts.minutes,
            "server_version": part.head.server_version or None,
            "first_line": part.first_line,
            "last_line": last_line,
        },
        end=_end_figures(facts, timed_readings, profile),
        wrong=tuple((part.first_line - 1 + line, words) for line, words in problems) + end_problems,
        companions_wrong={**counter_problems, **profile_problems},
    )


def _window_readings(
    source: RunInput, part_text: str, facts: Facts, part_count: int
) -> tuple[_TimedReadings, dict[str, Wrong]]:
    """Return readings of the window: by their place between the lines of the log, or by the clocks of both files."""
    nothing = np.empty(0)
    readings, log_problems = read_counter(part_text) if job_report(part_text) is None else ((), ())
    window_readings = [r for r in readings if facts.window and facts.window[0] <= r.place < facts.window[1]]
    if window_readings:
        return _time_readings(window_readings, readings, facts), {"log": log_problems}
    if COUNTER not in source.companions:
        readings = readings or _job_readings(part_text)
        reason = "the report of a job does not say when its timed minutes began" if job_report(part_text) else ""
        return _TimedReadings(nothing, readings=readings, problem=reason if readings else ""), {"log": log_problems}
    readings, counter_problems = read_counter(source.companions[COUNTER])
    problems: dict[str, Wrong] = {"log": log_problems, COUNTER: counter_problems}
    if facts.window_clock_s is None or any(r.at_s is None for r in readings):
        reason = "log and counter share no clock, so dbdyno can't assign its readings to the timed minutes"
        return _TimedReadings(nothing, readings=readings if part_count == 1 else (), problem=reason), problems
    start, end = facts.window_clock_s
    window_readings = [r for r in readings if r.at_s is not None and start < r.at_s <= end]
    reason = "" if window_readings else "none of its readings is in the timed minutes"
    return (
        _time_readings(window_readings, readings, facts) if window_readings else _TimedReadings(nothing, problem=reason)
    ), problems


def _job_readings(text: str) -> tuple[CounterReading, ...]:
    report = job_report(text) or {}
    series = report.get("transaction_count")
    lists = series.get("series") if isinstance(series, dict) else None
    points = lists[0].get("points") if isinstance(lists, list) and lists and isinstance(lists[0], dict) else None
    if not isinstance(points, list):
        return ()
    values = [point.get("value") for point in points if isinstance(point, dict)]
    return tuple(CounterReading(value, None, 0) for value in values if isinstance(value, int) and 0 <= value < 10**15)


def _time_readings(
    window_readings: list[CounterReading], readings: tuple[CounterReading, ...], facts: Facts
) -> _TimedReadings:
    """Return readings with the time that each covers: by the counter's clock, else by their number."""
    tpm = np.array([reading.tpm for reading in window_readings], dtype=float)
    clocks = [reading.at_s for reading in readings if reading.at_s is not None]
    steps = np.diff(clocks) if len(clocks) == len(readings) > 1 else np.empty(0)
    if len(steps) and np.median(steps) > 0:
        return _TimedReadings(tpm, round(float(np.median(steps))), is_told=True, readings=readings)
    seconds = 60 * (facts.minutes or 0)
    return _TimedReadings(tpm, max(round(seconds / len(tpm)), 1), is_told=False, readings=readings)


def _seconds_table(timed_readings: _TimedReadings) -> Table | tuple[()]:
    if not len(timed_readings.tpm):
        return ()
    end_s = (np.arange(len(timed_readings.tpm), dtype=float) + 1) * timed_readings.interval_s
    return window_table(end_s, timed_readings.interval_s, {"tps": timed_readings.tpm / 60})


def _run_profile(
    source: RunInput, part_text: str, facts: Facts, part_count: int
) -> tuple[Profile | None, str, dict[str, Wrong]]:
    """Return the profile of this run, or why it is not used; what can't be read in the log and next to it."""
    report = job_report(part_text)
    if report is not None:
        return _job_profile(report), "", {}
    log_profiles, log_problems = read_profiles(part_text)
    companion_data, companion_problems = read_profiles(source.companions.get(PROFILE, ""))
    problems = {"log": log_problems, PROFILE: companion_problems}
    users = users_in_tables(part_text)
    if log_profiles:
        profile: Profile | None = log_profiles[-1]
    elif companion_data and len(companion_data) != part_count:
        reason = (
            f"{counted(len(companion_data), 'time profile')} next to a log of {counted(part_count, 'run')}: dbdyno "
            "can't assign them to runs"
        )
        return None, reason, problems
    elif companion_data:
        profile = companion_data[source.part_index]
    else:
        profile = read_tables(part_text, 60.0 * ((facts.minutes or 0) + (facts.ramp_minutes or 0))) if users else None
    if profile and profile.users and facts.users and profile.users != facts.users:
        return None, f"the time profile is of {profile.users:,} users, the run had {facts.users:,}", problems
    return profile, "", problems


def _job_profile(report: dict[str, JsonValue]) -> Profile | None:
    times = report.get("response_times")
    rows = times.get("rows") if isinstance(times, dict) else None
    if not isinstance(rows, list):
        return None
    return profile_of_rows({str(row.get("name", "")).upper(): row for row in rows if isinstance(row, dict)})


def _profile_caveat(profile: Profile | None, problem: str) -> Caveat:
    if problem:
        return Caveat("profile-left-out", f"{problem}: left out")
    if profile is None:
        return Caveat("no-percentile", "no time profile: response times are unknown")
    text = (
        "counts, means and quantiles of transaction types come from the time profile: they include the "
        "ramp-up and rolled-back calls, and quantiles come from a sample"
    )
    return Caveat("profile-whole-run", text)


def _cut_off_caveat(facts: Facts) -> Caveat | None:
    if facts.tpm is not None:
        return None
    return Caveat("cut-off", "the log ends without a test result: whether the run continued is unknown")


def _failed_users_caveat(facts: Facts) -> Caveat | None:
    if not facts.failed_users:
        return None
    total_words = f" of {facts.users:,}" if facts.users else ""
    return Caveat(
        "users-failed",
        f"{facts.failed_users:,}{total_words} virtual users ended with an error, so the load was lower",
    )


def _end_figures(facts: Facts, timed_readings: _TimedReadings, profile: Profile | None) -> dict[str, JsonValue]:
    """Return the tool's own figures, as printed, and all readings of its counter."""
    figures: dict[str, JsonValue] = {"nopm": facts.nopm, "tpm": facts.tpm}
    if profile is not None:
        figures |= {"profile_users": profile.users, "profile_elapsed_s": profile.elapsed_s}
    if timed_readings.readings:
        figures["counter_tpm"] = [reading.tpm for reading in timed_readings.readings]
    return figures


HAMMERDB = Tool(
    name="hammerdb",
    title="HammerDB",
    names=r"hammerdb(?:cli)?(?:_[0-9A-Fa-f]{8,})?",
    is_log=is_hammerdb,
    survey=survey,
    why_none=lambda text: no_run(text, "no timed run of HammerDB's TPROC-C in it"),
    read=read,
    versions_differ="versions differ in their procedures and in how they time them",
    companions=(
        Companion(
            COUNTER,
            r"hdbtcount\w*",
            re.compile(
                r'^Hammerdb Transaction Counter Log @|^\s*\{\s*"[\w ]{1,40} tpm"\s*:|\A\d+ [\w ]{1,40} tpm', re.M | re.I
            ),
        ),
        Companion(
            PROFILE,
            r"hdbxtprofile\w*",
            re.compile(r'Time Profile Report @|\A\s*\{\s*"(?:NEWORD|PAYMENT|OSTAT|DELIVERY|SLEV)"\s*:', re.IGNORECASE),
        ),
    ),
)
