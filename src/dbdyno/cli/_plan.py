"""`dbdyno plan`: prints what a study would do and need. Touches nothing."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from dbdyno.cli._console import wide_console
from dbdyno.cli._folder import add_check_options
from dbdyno.cli._help import add_command as add
from dbdyno.cli._options import add_target_half_width, add_where
from dbdyno.cli._plan_times import bench_table, benches_object, hours_table, machine_lines, runs_words, span_words
from dbdyno.core import (
    DbdynoError,
    Home,
    counted,
    format_bytes,
    format_duration,
    parse_duration_ns,
    short_percent,
)

if TYPE_CHECKING:
    from dbdyno.cli._plan_precision import PlanPrecision
    from dbdyno.hosts import Host
    from dbdyno.plan import Plan
    from dbdyno.stats import Variation
    from dbdyno.store import JsonValue
    from dbdyno.study import Study

_STORY = """\
Checks a study file and prints what it would run: the number of runs, where their time goes, and the disk and memory
that they need. Changes nothing.

  dbdyno plan studies/first.toml
  dbdyno plan studies/first.toml --runs                         each run in its order, with the reason for its place
  dbdyno plan studies/first.toml --target-half-width 2% --within 3h   repeats and windows that reach it
  dbdyno plan studies/first.toml --where connections=32         one number of connections alone
  dbdyno plan studies/first.toml --from results/first           use the spread measured there

It also prints the expected precision (the 95 % interval of a cell, and the smallest difference of two targets that is
found four times out of five), the cheapest repeats and windows for +-2 %, and what the study can't answer by design.
The spread between repeats is that of --from, else what earlier studies showed of this machine, else assumed to be
1.2 %. With --within, the exit code is 1 if the time is too short.
"""


_WORTH_DEALING_NS = 3600 * 10**9
_SEARCHED = "certainty  a search ends when the next higher rate fails; `precision` in [pacing] sets the step"


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "plan", _STORY, _plan)
    parser.one_more = "plan takes one study file; engines go to dbdyno compare mariadb:11.8 mysql:9.7 --plan"
    parser.example = "dbdyno plan first, or dbdyno plan STUDY.toml"
    parser.add_argument("study", type=Path, metavar="STUDY.toml", help="study file")
    parser.add_argument("--scale", metavar="NAME", help="run at one of the study's scales, such as small")
    add_where(parser)
    parser.add_argument("--runs", action="store_true", help="list each run in its order, with the reason for its place")
    precision_group = parser.add_argument_group("precision of the answer")
    add_target_half_width(precision_group, "half-width of a cell's 95 %% interval")
    precision_group.add_argument(
        "--within", metavar="TIME", help="longest time for all runs, such as 3h (default: any)"
    )
    precision_group.add_argument(
        "--from",
        dest="results",
        type=Path,
        metavar="DIR",
        help="use spread and noise of these results (default: of earlier studies here, else assumed)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_check_options(parser)


def _plan(choices: argparse.Namespace) -> int:
    from dbdyno.cli._plan_precision import measured_variation, precision_object  # late: see _main
    from dbdyno.study import read_cell_filter, read_study, study_of_cells

    study = study_of_cells(read_study(choices.study, choices.scale), read_cell_filter(choices.where))
    within_ns = parse_duration_ns(choices.within) if choices.within else None
    variation = measured_variation(choices.results, choices) if choices.results else None
    forecast = _forecast(study, choices.target_half_width, variation, within_ns)
    if choices.json:
        precision_json = None if forecast.precision is None else precision_object(forecast.precision)
        unanswered: list[JsonValue] = [*forecast.unanswered]
        document = {**plan_object(study, forecast.plan), "certainty": precision_json, "unanswered": unanswered}
        print(json.dumps(document, indent=1))
    else:
        _print_forecast(study, forecast, with_runs=choices.runs)
    return 0 if forecast.is_possible else 1


def print_plan(study: Study, target_half_width: str | None) -> None:
    """Print what a study would run and need, and how precise it would be, judging by earlier studies here."""
    _print_forecast(study, _forecast(study, target_half_width, None, None), with_runs=False)


@dataclass(frozen=True, slots=True)
class _Forecast:
    """Describes what a study would do: its plan, its precision (None for a search), and what it can't answer.

    Parameters
    ----------
    variation : of repeats and windows, on which hours and precision rest
    within_ns : time that the runs may take; None for any
    """

    plan: Plan
    variation: Variation
    precision: PlanPrecision | None
    unanswered: tuple[str, ...]
    within_ns: int | None

    @property
    def is_possible(self) -> bool:
        """Return whether the runs fit the time and reach the precision that was asked for."""
        if self.within_ns is None:
            return True
        if self.precision is None:
            return self.plan.budget.runs.expected_ns <= self.within_ns
        return self.precision.is_possible


def _forecast(
    study: Study, target_half_width: str | None, variation: tuple[Variation, str] | None, within_ns: int | None
) -> _Forecast:
    from dbdyno.cli._plan_precision import expected_variation, plan_precision  # late: see _main
    from dbdyno.hosts import LocalHost
    from dbdyno.plan import out_of_scope

    variation = variation or expected_variation(study)
    plan = full_plan(study, LocalHost(), variation[0])
    precision = plan_precision(study, target_half_width, variation, within_ns, plan.budget.overhead_ns)
    rows = max((workload.rows_total for workload in plan.workloads.values()), default=0)
    return _Forecast(plan, variation[0], precision, tuple(out_of_scope(study, rows)), within_ns)


def _print_forecast(study: Study, forecast: _Forecast, *, with_runs: bool) -> None:
    _print_head(study, forecast.plan)
    if with_runs:
        _print_runs(forecast.plan)
    _print_needs(study, forecast)


def _print_head(study: Study, plan: Plan) -> None:
    from dbdyno.study import question_words, settings_lines

    console = wide_console()
    console.print(study_line(study, plan), markup=False)
    console.print(f"question: {question_words(study)}\npacing: {study.pacing.words}", markup=False)
    console.print(f"warm-up: {study.warm_up_words}; window: {study.window_words}", markup=False)
    if study.repeats_max is not None:
        console.print(f"repeats: {study.repeats_words}", markup=False)
    for line in settings_lines(study):
        console.print(line, markup=False)
    if study.benches:
        console.print(study.bench_words, markup=False)
    if study.shaped_routes:
        console.print(f"shaped routes: {study.shaped_words}", markup=False)


def _print_runs(plan: Plan) -> None:
    console = wide_console()
    console.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("run", "target", "tier", "connections", "workload", "route", "repeat", "reason"):
        table.add_column(heading, justify="right" if heading in ("run", "connections", "repeat") else "left")
    for run in plan.runs:
        cell = run.cell
        row = (cell.target, format_bytes(cell.tier_bytes), str(cell.concurrency), cell.workload, cell.route)
        table.add_row(str(run.order_index + 1), *row, str(run.repeat), run.reason)
    console.print(table)


def _print_needs(study: Study, forecast: _Forecast) -> None:
    from dbdyno.cli._plan_precision import precision_lines

    plan, precision = forecast.plan, forecast.precision
    console = wide_console()
    budget = plan.budget
    are_all_running = all(target.engine.source_kind == "server" for target in study.targets)
    preparing = "fill data" if are_all_running else "fetch engines and fill data (kept for the next study)"
    console.print(
        f"\ntime    {runs_words(plan)} of runs, and up to {format_duration(budget.prepare_ns)} to {preparing}",
        markup=False,
    )
    console.print(hours_table(plan))
    for line in _assumed_hours_lines(study, forecast):
        console.print(line, markup=False)
    if not are_all_running:
        console.print(
            f"disk    about {format_bytes(budget.disk_bytes)}\n"
            f"memory  about {format_bytes(budget.memory_bytes)}{_memory_limit_words(study)}",
            markup=False,
        )
    if len(study.benches) > 1:
        console.print(bench_table(study, plan))
        console.print("        preparing included, if the benches are alike", markup=False)
    elif budget.runs.expected_ns >= _WORTH_DEALING_NS:
        for line in machine_lines(study, plan):
            console.print(line, markup=False)
    for line in _engine_lines(study):
        console.print(line, markup=False)
    lines = [_SEARCHED] if precision is None else precision_lines(precision, budget.overhead_ns / 1e9)
    if precision is None and forecast.within_ns is not None and not forecast.is_possible:
        lines.append(
            f"           the searches take longer than {format_duration(forecast.within_ns)}: choose fewer cells"
        )
    for line in [*lines, "", "This study can't answer", *(f"- {words}" for words in forecast.unanswered)]:
        console.print(line, markup=False)


def _engine_lines(study: Study) -> list[str]:
    """Return which engines come from another source than expected, and which this machine can't have; nothing is asked.

    Engines of servers on other hosts are left out: their package lists are there.
    """
    from dbdyno.hosts import LocalHost  # late: see _main
    from dbdyno.provision import source_note

    names_by_words: dict[str, list[str]] = {}
    for name in dict.fromkeys(target.engine for target in study.targets if not study.benches):
        try:
            words = source_note(name, LocalHost(), Home.of_user())
        except DbdynoError as error:
            words = f"can't run here: {error.what.removeprefix(f'{name} is ')}; {error.remedy}"
        names_by_words.setdefault(words, []).append(str(name))
    return [f"engine  {', '.join(names)}: {words}" for words, names in names_by_words.items() if words]


def _assumed_hours_lines(study: Study, forecast: _Forecast) -> list[str]:
    """Return the hours for the spread that is assumed without measurements, if further repeats make them others."""
    from dbdyno.stats import ASSUMED_VARIATION

    spread = ASSUMED_VARIATION.spread
    if study.repeats_max is None or forecast.variation.spread == spread:
        return []
    runs = forecast.plan.budget.with_variation(study, ASSUMED_VARIATION).runs
    assumption = f"if repeats spread by {short_percent(spread)}, as assumed where nothing is measured"
    return [f"        about {span_words(runs)} {assumption}"]


def _memory_limit_words(study: Study) -> str:
    limit = study.limits.memory
    return "" if limit is None else f", limited: {limit} for each server, page cache included"


def full_plan(study: Study, host: Host, variation: Variation | None = None) -> Plan:
    """Return the plan of a study whose workloads the load generator has found to be possible.

    Parameters
    ----------
    variation : of repeats and windows; None for what earlier studies here showed, else what is assumed

    Raises
    ------
    StudyError : it has not, or a target can't have the settings that the study asks for
    """
    from dbdyno.cli._plan_precision import expected_variation
    from dbdyno.cli._seen_restores import restores_seen_here
    from dbdyno.configure import check_settings
    from dbdyno.lab import find_generator, resolve_workloads
    from dbdyno.plan import make_plan
    from dbdyno.provision import plugin_version_of
    from dbdyno.study import check_running_servers

    check_running_servers(study)
    plugin_targets = [
        target for target in study.targets if target.engine.plugin and Path(target.engine.plugin).is_file()
    ]
    check_settings(study, {target.name: plugin_version_of(target.engine) for target in plugin_targets})
    seen = restores_seen_here(study, Home.of_user().root)
    workloads = resolve_workloads(study, host, find_generator())
    return make_plan(study, workloads, seen, variation or expected_variation(study)[0])


def study_line(study: Study, plan: Plan) -> str:
    """Return the study in one line: how many of what, and how long."""
    axes: list[tuple[int, str] | tuple[int, str, str]] = [
        (len(study.targets), "target"),
        (len(study.workloads), "workload"),
        (len(study.tiers_bytes), "tier"),
        (len(study.concurrencies), "concurrency", "concurrencies"),
        (len(study.routes), "route"),
        (study.repeats, "repeat"),
    ]
    counts = [counted(count, *words) for count, *words in axes if count > 1 or words[0] == "target"]
    return f"{study.name} · {counted(len(plan.runs), 'run')} · {' × '.join(counts)} · {runs_words(plan)}"


def plan_object(study: Study, plan: Plan) -> dict[str, JsonValue]:
    """Return the plan as JSON: printed for programs, and kept in the results folder."""
    from dbdyno.plan import dealt_over  # late: see _main
    from dbdyno.study import settings_object

    runs: list[JsonValue] = [
        {
            "order": run.order_index,
            "run_id": run.run_id,
            "target": run.cell.target,
            "tier_bytes": run.cell.tier_bytes,
            "concurrency": run.cell.concurrency,
            "workload": run.cell.workload,
            "route": run.cell.route,
            "repeat": run.repeat,
            "seed": run.seed,
            "reason": run.reason,
        }
        for run in plan.runs
    ]
    budget = plan.budget
    return {
        "schema_version": 1,
        "study": study.name,
        **settings_object(study),
        "runs": runs,
        "prepare_ns": budget.prepare_ns,
        "runs_ns": budget.runs.most_ns,
        "runs_least_ns": budget.runs.least_ns,
        "runs_expected_ns": budget.runs.expected_ns,
        "time_parts": [asdict(part) for part in budget.parts],
        "disk_bytes": budget.disk_bytes,
        "memory_bytes": budget.memory_bytes,
        **({"shaped_routes": [asdict(route) for route in study.shaped_routes]} if study.shaped_routes else {}),
        "machines": [asdict(dealt) for dealt in dealt_over(study, plan.runs, budget)],
        **benches_object(study, plan),
    }
