"""Presents HammerDB to the import: reads one run from its log, its counter and its time profile."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from dbdyno.core import Caveat, OrderRates, ToolFigures
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
from dbdyno.imports._run import PartFacts, Source, ToolRun, Wrong
from dbdyno.imports._tool import Companion, Tool, no_run
from dbdyno.imports.hammerdb._counter import Reading, read_counter
from dbdyno.imports.hammerdb._log import Facts, facts_of, is_hammerdb, job_report, log_parts
from dbdyno.imports.hammerdb._profile import Profile, profile_of_rows, read_profiles, read_tables, users_in_tables
from dbdyno.store import JsonValue
from dbdyno.tables import Table

COUNTER, PROFILE = "transaction-counter", "time-profile"
_SERVER_COUNTED = Caveat(
    "server-counted",
    "the server counted: TPM is every commit and rollback of all its sessions, NOPM the growth of its order numbers, "
    "both in whole numbers a minute",
)
_COUNTER_OFFSET = Caveat(
    "counter-offset",
    "counter readings are assigned to the timed minutes by their print time: the first may cover seconds of the "
    "ramp-up, and as many are missing at the end",
)
_PACING = Caveat("pacing-unknown", "the log does not say whether its users key and think between transactions")


@dataclass(frozen=True, slots=True)
class _TimedReadings:
    """The counter's readings inside of the timed minutes.

    Parameters
    ----------
    problem : why there are none although it was read; empty when there are, or it was not there
    """

    tpm: FloatArray
    interval_s: int = 10
    is_told: bool = False
    readings: tuple[Reading, ...] = ()
    problem: str = ""


def survey(text: str) -> tuple[PartFacts, ...]:
    """The timed runs of a log."""
    found = []
    for part in log_parts(text):
        minutes = facts_of(text[part.start : part.end]).minutes
        found.append(PartFacts(part.head, part.head.threads, part.first_line, 60 * (minutes or 0), bool(minutes)))
    return tuple(found)


def read(source: Source) -> ToolRun:
    """One run with everything that the store keeps of it."""
    parts = log_parts(source.text)
    part = parts[source.part_index]
    own = source.text[part.start : part.end]
    facts = facts_of(own)
    counted, counter_wrong = _counted(source, own, facts, len(parts))
    profile, profile_problem, profile_wrong = _profile(source, own, facts, len(parts))
    total = None if facts.tpm is None else facts.tpm / 60
    mean, half = throughput(counted.tpm / 60, total)
    window_s = 60.0 * facts.minutes if facts.minutes else float(len(counted.tpm) * counted.interval_s)
    failure = "" if mean else "no transaction completed" if mean == 0 else "the log holds no test result"
    remarks = [
        _SERVER_COUNTED,
        about_intervals(len(counted.tpm), counted.interval_s, is_told=counted.is_told),
        about_coverage(float(len(counted.tpm) * counted.interval_s), 60.0 * (facts.minutes or 0)),
        Caveat("counter-left-out", counted.problem) if counted.problem else None,
        _COUNTER_OFFSET if len(counted.tpm) else None,
        about_totals(total, mean),
        _about_profile(profile, profile_problem),
        _PACING,
        about_window(window_s)
        if window_s
        else Caveat("duration-unknown", "the log does not give the length of the run"),
    ]
    wrong = sorted((*counter_wrong.get("log", ()), *profile_wrong.get("log", ())))
    last_line = part.first_line + own.rstrip("\n").count("\n")
    ending = () if facts.tpm is not None else ((last_line, "the log ends here, without a test result"),)
    return ToolRun(
        head=part.head,
        judgement=judgement(failure, [_cut_off(facts), _failed_users(facts)], remarks),
        tool=ToolFigures(f"HammerDB {part.head.version}".strip(), tps=total, elapsed_s=window_s or None),
        window_s=window_s,
        tps_mean=mean or None,
        tps_half_width=half if mean else None,
        transactions=round((total or mean or 0.0) * window_s),
        errors=facts.errors,
        types=profile.types if profile else (),
        orders=None if facts.nopm is None else OrderRates(None, None, float(facts.nopm), float(facts.tpm or 0)),
        seconds=_seconds(counted),
        start={
            "version": part.head.version or None,
            "virtual_users": facts.users,
            "ramp_minutes": facts.ramp_minutes,
            "minutes": facts.minutes,
            "server_version": part.head.server_version or None,
            "first_line": part.first_line,
            "last_line": last_line,
        },
        end=_end(facts, counted, profile),
        wrong=tuple((part.first_line - 1 + line, words) for line, words in wrong) + ending,
        companions_wrong={**counter_wrong, **profile_wrong},
    )


def _counted(source: Source, own: str, facts: Facts, parts: int) -> tuple[_TimedReadings, dict[str, Wrong]]:
    """Readings of the window: by their place between the lines of the log, or by the clocks of both files."""
    nothing = np.empty(0)
    readings, wrong = read_counter(own) if job_report(own) is None else ((), ())
    within = [r for r in readings if facts.window and facts.window[0] <= r.place < facts.window[1]]
    if within:
        return _spaced(within, readings, facts), {"log": wrong}
    if COUNTER not in source.companions:
        readings = readings or _readings_of_job(own)
        why = "the report of a job does not say when its timed minutes began" if job_report(own) else ""
        return _TimedReadings(nothing, readings=readings, problem=why if readings else ""), {"log": wrong}
    readings, beside_wrong = read_counter(source.companions[COUNTER])
    found: dict[str, Wrong] = {"log": wrong, COUNTER: beside_wrong}
    if facts.window_clock_s is None or any(r.at_s is None for r in readings):
        why = "log and counter share no clock, so dbdyno can't assign its readings to the timed minutes"
        return _TimedReadings(nothing, readings=readings if parts == 1 else (), problem=why), found
    start, end = facts.window_clock_s
    within = [r for r in readings if r.at_s is not None and start < r.at_s <= end]
    why = "" if within else "none of its readings lies in the timed minutes"
    return (_spaced(within, readings, facts) if within else _TimedReadings(nothing, problem=why)), found


def _readings_of_job(text: str) -> tuple[Reading, ...]:
    report = job_report(text) or {}
    series = report.get("transaction_count")
    lists = series.get("series") if isinstance(series, dict) else None
    points = lists[0].get("points") if isinstance(lists, list) and lists and isinstance(lists[0], dict) else None
    if not isinstance(points, list):
        return ()
    values = [point.get("value") for point in points if isinstance(point, dict)]
    return tuple(Reading(value, None, 0) for value in values if isinstance(value, int) and 0 <= value < 10**15)


def _spaced(within: list[Reading], readings: tuple[Reading, ...], facts: Facts) -> _TimedReadings:
    """Readings with the time that each covers: by the counter's clock, else by how many fill the timed minutes."""
    tpm = np.array([reading.tpm for reading in within], dtype=float)
    clocks = [reading.at_s for reading in readings if reading.at_s is not None]
    steps = np.diff(clocks) if len(clocks) == len(readings) > 1 else np.empty(0)
    if len(steps) and np.median(steps) > 0:
        return _TimedReadings(tpm, round(float(np.median(steps))), is_told=True, readings=readings)
    seconds = 60 * (facts.minutes or 0)
    return _TimedReadings(tpm, max(round(seconds / len(tpm)), 1), is_told=False, readings=readings)


def _seconds(counted: _TimedReadings) -> Table | tuple[()]:
    if not len(counted.tpm):
        return ()
    ends = (np.arange(len(counted.tpm), dtype=float) + 1) * counted.interval_s
    return window_table(ends, counted.interval_s, {"tps": counted.tpm / 60})


def _profile(source: Source, own: str, facts: Facts, parts: int) -> tuple[Profile | None, str, dict[str, Wrong]]:
    """The profile of this run, or why what is there is not taken; what can't be read in the log and beside it."""
    report = job_report(own)
    if report is not None:
        return _profile_of_job(report), "", {}
    here, wrong = read_profiles(own)
    companion_data, beside_wrong = read_profiles(source.companions.get(PROFILE, ""))
    every = {"log": wrong, PROFILE: beside_wrong}
    users = users_in_tables(own)
    if here:
        profile: Profile | None = here[-1]
    elif companion_data and len(companion_data) != parts:
        why = f"{len(companion_data)} time profiles next to a log of {parts} runs: dbdyno can't assign them to runs"
        return None, why, every
    elif companion_data:
        profile = companion_data[source.part_index]
    else:
        profile = read_tables(own, 60.0 * ((facts.minutes or 0) + (facts.ramp_minutes or 0))) if users else None
    if profile and profile.users and facts.users and profile.users != facts.users:
        return None, f"the time profile is of {profile.users:,} users, the run had {facts.users:,}", every
    return profile, "", every


def _profile_of_job(report: dict[str, JsonValue]) -> Profile | None:
    times = report.get("response_times")
    rows = times.get("rows") if isinstance(times, dict) else None
    if not isinstance(rows, list):
        return None
    return profile_of_rows({str(row.get("name", "")).upper(): row for row in rows if isinstance(row, dict)})


def _about_profile(profile: Profile | None, problem: str) -> Caveat:
    if problem:
        return Caveat("profile-left-out", f"{problem}: left out")
    if profile is None:
        return Caveat("no-percentile", "no time profile: response times are unknown")
    text = (
        "counts, means and quantiles of transaction types come from the time profile: they include the "
        "ramp-up and rolled-back calls, and quantiles come from a sample"
    )
    return Caveat("profile-whole-run", text)


def _cut_off(facts: Facts) -> Caveat | None:
    if facts.tpm is not None:
        return None
    return Caveat("cut-off", "the log ends without a test result: whether the run went on is not known")


def _failed_users(facts: Facts) -> Caveat | None:
    if not facts.failed_users:
        return None
    of = f" of {facts.users:,}" if facts.users else ""
    return Caveat(
        "users-failed", f"{facts.failed_users:,}{of} virtual users ended with an error, and with them their load"
    )


def _end(facts: Facts, counted: _TimedReadings, profile: Profile | None) -> dict[str, JsonValue]:
    """The tool's own figures, as printed, and all readings of its counter."""
    told: dict[str, JsonValue] = {"nopm": facts.nopm, "tpm": facts.tpm}
    if profile is not None:
        told |= {"profile_users": profile.users, "profile_elapsed_s": profile.elapsed_s}
    if counted.readings:
        told["counter_tpm"] = [reading.tpm for reading in counted.readings]
    return told


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
