"""Everything that the pages and tables are made from, gathered once from the store and judged once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse import (
    Answer,
    CapacityJudgement,
    CellJudgement,
    LatencyJudgement,
    Place,
    StudyFacts,
    answer,
    compare_targets,
    judge_capacity,
    judge_cells,
    judge_latency,
    limitations,
    rank_places,
)
from dbdyno.core import Caveat, Comparison, Run, RunRecord, parse_engine_name
from dbdyno.plan import make_plan
from dbdyno.report._altered import altered_caveats
from dbdyno.report._counters import CellCounters, cells_with_counters
from dbdyno.report._courses import courses_again
from dbdyno.report._curves import Curve
from dbdyno.report._fairness import Fairness, judge_fairness
from dbdyno.report._histograms import cell_histograms
from dbdyno.report._machine import MachineFindings, machine_findings
from dbdyno.report._server_lifecycle import ServerLifecycles, server_lifecycles
from dbdyno.report._space import CellSpace, cells_with_space
from dbdyno.report._types import CellTypes, cells_with_types
from dbdyno.report._windows import with_settled
from dbdyno.store import Results
from dbdyno.study import Study, parse_study


@dataclass(frozen=True, slots=True)
class StudyAnalysis:
    """The stored study with all that is concluded from it.

    Parameters
    ----------
    records : every planned run in order, those not there yet as ``missing``; of imported results those found
    latency : quantiles of all repeats' histograms together
    curves : response times by percentile, of cells that have histograms
    types : cells whose workload has several transaction types
    space : cells of whose tables it is known what they take
    fairness : whether the targets were alike in effect
    capacity : of targets and memory budgets measured at several concurrencies
    machine : what was found of the machine before the runs
    counters : of cells whose servers' counters are known over their windows
    lives : of the servers: start, shutdown, recovery, memory limits, deaths
    """

    results: Results
    study: Study
    facts: StudyFacts
    records: tuple[RunRecord, ...]
    judgements: tuple[CellJudgement, ...]
    comparisons: tuple[Comparison, ...]
    ranks: dict[Place, dict[str, tuple[int, int]]]
    latency: tuple[LatencyJudgement, ...]
    curves: tuple[Curve, ...]
    answer: Answer
    limitations: tuple[Caveat, ...]
    types: list[CellTypes]
    space: list[CellSpace]
    fairness: Fairness
    capacity: tuple[CapacityJudgement, ...]
    machine: MachineFindings
    counters: list[CellCounters]
    lives: ServerLifecycles

    @property
    def targets(self) -> tuple[str, ...]:
        """Names in the order of the study."""
        return tuple(target.name for target in self.study.targets)

    @property
    def scaled_words(self) -> str:
        """That the study is another's at a smaller scale; empty where it is at its own."""
        if not self.study.scaled:
            return ""
        return (
            f"Scaled ({self.study.scaled}): rows, memory, connections, times or servers are other than those of the "
            "study that it is made from. Nothing here speaks of that study."
        )

    @property
    def panels(self) -> tuple[tuple[str, str, int], ...]:
        """Workload, route and tier of each small multiple, in the order of the study."""
        labels = [choice.label for choice in self.study.workloads]
        return tuple(itertools.product(labels, self.study.routes, self.study.tiers_bytes))

    @property
    def stored(self) -> tuple[RunRecord, ...]:
        """Runs that have a folder."""
        return tuple(record for record in self.records if record.status != "missing")


def analyse_study(results: Results, *, draws_intervals: bool = True) -> StudyAnalysis:
    """Read the records and judge them. Their seconds are read only where they were not judged when they were stored.

    Parameters
    ----------
    draws_intervals : whether quantiles of cells that were run once get the interval of their noise, which is drawn
        anew a thousand times for each; the terminal shows none
    """
    study = parse_study(results.study_text, str(results.path / "study.toml"))
    stored = results.records()
    records = planned_records(study, with_settled(results, study, stored))
    judgements = _as_listed(study, judge_cells(records))
    comparisons = compare_targets(judgements)
    facts = _facts(study, results, stored)
    fairness = judge_fairness(results, stored)
    machine = machine_findings(results)
    weak = limitations(facts, records, judgements, comparisons, courses_again(results, study, records))
    histograms = cell_histograms(results, study, judgements)
    return StudyAnalysis(
        results,
        study,
        facts,
        records,
        tuple(judgements),
        tuple(comparisons),
        rank_places(judgements, comparisons),
        tuple(judge_latency(judgements, histograms.merged, histograms.seconds, draws_intervals=draws_intervals)),
        tuple(histograms.curves.values()),
        answer(judgements, comparisons),
        (*altered_caveats(results), *_weighed(weak, fairness, machine)),
        cells_with_types(results, judgements, is_closed=study.pacing.is_closed),
        cells_with_space(results, study, judgements),
        fairness,
        tuple(judge_capacity(judgements)),
        machine,
        cells_with_counters(results, judgements),
        server_lifecycles(results, records, [target.name for target in study.targets]),
    )


def _weighed(weak: Sequence[Caveat], fairness: Fairness, machine: MachineFindings) -> tuple[Caveat, ...]:
    """Results that differ come first, then grave differences between targets; machine and lesser ones last."""
    first = [caveat for caveat in weak if caveat.code == "results-differ"]
    rest = [caveat for caveat in weak if caveat.code != "results-differ"]
    return (*first, *fairness.caveats, *rest, *machine.caveats, *fairness.lesser)


def _as_listed(study: Study, judgements: Sequence[CellJudgement]) -> list[CellJudgement]:
    """Cells in the order of the study, whatever the order of their runs was."""
    targets = {target.name: index for index, target in enumerate(study.targets)}
    workloads = {choice.label: index for index, choice in enumerate(study.workloads)}

    def place(group: CellJudgement) -> tuple[int, str, int, int, int]:
        cell = group.cell
        workload, target = workloads.get(cell.workload, len(workloads)), targets.get(cell.target, len(targets))
        return workload, cell.route, cell.tier_bytes, cell.concurrency, target

    return sorted(judgements, key=place)


def planned_records(study: Study, stored: Sequence[RunRecord]) -> tuple[RunRecord, ...]:
    """Every planned run in order, those not stored as ``missing``; then stored ones that the plan does not know.

    An imported study had no plan: what is stored is all there is.
    """
    if study.imported is not None:
        return tuple(stored)
    known = {record.run.run_id: record for record in stored}
    planned = make_plan(study).runs
    records = [known.get(run.run_id) or _missing(study, run) for run in planned]
    ids = {run.run_id for run in planned}
    return (*records, *(record for run_id, record in known.items() if run_id not in ids))


def _missing(study: Study, run: Run) -> RunRecord:
    engine = next((target.engine for target in study.targets if target.name == run.cell.target), None)
    engine = engine or parse_engine_name("unknown:0")
    return RunRecord(run, engine.family, engine.version, engine.storage_engine, "missing", "not run yet")


def _facts(study: Study, results: Results, stored: Sequence[RunRecord]) -> StudyFacts:
    remote = all(server.host not in (None, "127.0.0.1", "::1", "localhost") for server in study.servers.values())
    is_local = all(route in ("socket", "loopback") for route in study.routes)
    elsewhere = bool(study.servers) and remote and all(t.engine.source.startswith("server") for t in study.targets)
    cores = results.host.get("logical_cpu_count", 0)
    windows = [record.window_s for record in stored if record.course is not None and record.window_s]
    window_s = min(windows, default=study.window_ns / 1e9)
    return StudyFacts(
        window_s=window_s,
        repeats=study.repeats,
        is_closed=study.pacing.is_closed,
        cores=cores if isinstance(cores, int) else 0,
        shares_cores=is_local and not study.pinning.is_apart and not elsewhere,
        scaled=study.scaled,
        is_interleaved=study.order == "interleaved",
        are_results_compared=study.equivalence_events > 0 or len(study.targets) < 2,
        results=tuple(results.compared([t.name for t in study.targets], [w.label for w in study.workloads])),
        imported=study.imported.tool if study.imported else "",
    )
