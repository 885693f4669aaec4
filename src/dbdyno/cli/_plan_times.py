"""Says how long a plan takes: on this machine, on the benches of its study, and dealt over several machines."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.table import Table

from dbdyno.core import format_duration

if TYPE_CHECKING:
    from dbdyno.plan import Dealt, Plan, TimeRange
    from dbdyno.store import JsonValue
    from dbdyno.study import Study

_BENCH_COUNTS = (1, 2, 4, 8)


def runs_words(plan: Plan) -> str:
    """Return how long all runs take, as expected; from and to where their length or number is left to them."""
    return f"about {span_words(plan.budget.runs)}"


def span_words(span: TimeRange) -> str:
    """Return a time as expected, and its least and most where they differ."""
    expected = format_duration(_round_duration_ns(span.expected_ns))
    if span.least_ns == span.most_ns:
        return expected
    shortest, longest = (
        format_duration(_round_duration_ns(span.least_ns)),
        format_duration(_round_duration_ns(span.most_ns)),
    )
    return f"{expected} ({shortest} to {longest})"


def hours_table(plan: Plan) -> Table:
    """Return where the time of the runs goes, as expected, with what that rests on."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1))
    for heading in ("part", "count", "time", "basis"):
        table.add_column(heading, justify="right" if heading in ("count", "time") else "left")
    for part in plan.budget.parts:
        table.add_row(f"        {part.what}", f"{part.count:,} ×", span_words(part.span), part.basis)
    return table


def bench_table(study: Study, plan: Plan) -> Table:
    """Return how long the study takes on some counts of benches, its own among them."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for heading in ("benches", "makespan", "idle", "machine time"):
        table.add_column(heading, justify="right")
    table.add_column("")
    names = ", ".join(bench.name for bench in study.benches)
    for dealt in _bench_counts(study, plan):
        own_words = f"this study: {names}" if dealt.machines == len(study.benches) else ""
        table.add_row(str(dealt.machines), *_time_words(dealt), own_words)
    return table


def machine_lines(study: Study, plan: Plan) -> list[str]:
    """Return how long the study takes when its parts are dealt over several machines."""
    from dbdyno.plan import dealt_over

    lines: list[str] = []
    for dealt in dealt_over(study, plan.runs, plan.budget)[1:]:
        lines.append(f"{'' if lines else 'dealt':<7} over {dealt.machines} machines: {_dealt_runs_words(dealt)}")
    return [*lines, "        dbdyno run STUDY --part K/N; preparing included"] if lines else []


def benches_object(study: Study, plan: Plan) -> dict[str, JsonValue]:
    """Return what the study takes on its benches, and on other counts of such benches; empty without several."""
    if len(study.benches) < 2:
        return {}
    by_count = {dealt.machines: asdict(dealt) for dealt in _bench_counts(study, plan)}
    return {"benches": by_count[len(study.benches)], "bench_counts": list(by_count.values())}


def _dealt_runs_words(dealt: Dealt) -> str:
    makespan, idle, hours = _time_words(dealt)
    idle_words = f", {idle} of it idle" if dealt.idle_share >= 0.005 else ""
    return f"{makespan}{idle_words}; {hours} of machine time"


def _time_words(dealt: Dealt) -> tuple[str, str, str]:
    """Return makespan, idle share and machine time."""
    makespan, hours = (
        format_duration(_round_duration_ns(time_ns)) for time_ns in (dealt.makespan_ns, dealt.machine_ns)
    )
    return makespan, f"{100 * dealt.idle_share:.0f} %", hours


def _bench_counts(study: Study, plan: Plan) -> list[Dealt]:
    from dbdyno.plan import dealt_to_benches  # late: see _main

    counts = sorted({*_BENCH_COUNTS, len(study.benches)})
    return [dealt_to_benches(study, plan.budget, count) for count in counts]


def _round_duration_ns(duration_ns: int) -> int:
    """Round to whole minutes from an hour on: nobody plans a night by seconds."""
    unit_ns = 60 * 10**9 if duration_ns >= 3600 * 10**9 else 10**9
    return round(duration_ns / unit_ns) * unit_ns
