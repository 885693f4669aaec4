"""Analyses a stored study lazily: one value that pages and tables share, each part judged once."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from dbdyno.analyse import (
    Answer,
    CapacityJudgement,
    CellCounters,
    CellJudgement,
    LatencyJudgement,
    Place,
    Quantile,
    ResponseCurve,
    StudyFacts,
    Upgrade,
    answer,
    compare_averages,
    compare_targets,
    is_mostly_disturbed,
    judge_capacity,
    judge_cells,
    judge_latency,
    limitations,
    place_of,
    rank_places,
    settled_again,
    upgrades,
    with_noise_intervals,
    with_remedy,
)
from dbdyno.core import OTHER_LOAD, STEAL, Caveat, Cell, Comparison, Run, RunRecord, parse_engine_name
from dbdyno.report._altered import altered_caveats
from dbdyno.report._cell_response_times import CellHistograms, cell_histograms, response_curves
from dbdyno.report._counters import cells_with_counters
from dbdyno.report._courses import courses_again
from dbdyno.report._fairness import Fairness, judge_fairness, policy_remains
from dbdyno.report._machine import MachineFindings, machine_findings
from dbdyno.report._server_lifecycle import ServerLifecycles, server_lifecycles
from dbdyno.report._space import CellSpace, cells_with_space
from dbdyno.report._statement_sums import StatementSums
from dbdyno.report._types import CellTypes, cells_with_types
from dbdyno.store import StoredStudy
from dbdyno.study import Study, settings_lines

if TYPE_CHECKING:
    # Imported where they are used: a summary must appear at once and explains nothing.
    from dbdyno.analyse.explain import Explanation, NetworkTime
    from dbdyno.report.why._cell_times import Times


class StudyAnalysis:
    """Describes a stored study with all that is concluded from it; each part is made on first request, and kept.

    `analyse_study` gives the one of a study, so that a page, a summary and a comparison of the same study share it.

    Parameters
    ----------
    results : the study as stored
    """

    def __init__(self, results: StoredStudy) -> None:
        self.results = results

    @property
    def study(self) -> Study:
        """Return what was asked, and how."""
        return self.results.study

    @cached_property
    def facts(self) -> StudyFacts:
        """Return what the study's design says of its findings."""
        return _study_facts(self.results)

    @cached_property
    def records(self) -> tuple[RunRecord, ...]:
        """Return every planned run in order, those not there yet as ``missing``; then stored ones that no plan knows.

        An imported study had no plan: what is stored is all there is.
        """
        stored_records = settled_records(self.results)
        if self.study.imported is not None:
            return tuple(stored_records)
        records_by_id = {record.run.run_id: record for record in stored_records}
        planned = self.results.planned_runs
        records = [records_by_id.get(run.run_id) or _missing_run_record(self.study, run) for run in planned]
        ids = {run.run_id for run in planned}
        return (*records, *(record for run_id, record in records_by_id.items() if run_id not in ids))

    @cached_property
    def stored(self) -> tuple[RunRecord, ...]:
        """Runs that have a folder."""
        return tuple(record for record in self.records if record.status != "missing")

    @cached_property
    def by_cell(self) -> Mapping[Cell, CellJudgement]:
        """Return what is judged of each cell, in the order of the runs."""
        return {group.cell: group for group in judge_cells(self.records)}

    @cached_property
    def judgements(self) -> tuple[CellJudgement, ...]:
        """Return the cells in the order of the study, for any order of their runs."""
        return tuple(_in_study_order(self.study, self.by_cell.values()))

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Return pairs of targets at each place."""
        return tuple(compare_targets(self.judgements))

    @cached_property
    def averages(self) -> tuple[Comparison, ...]:
        """Return pairs of targets on average over all concurrencies of each workload, route and memory size."""
        return tuple(compare_averages(self.judgements))

    @cached_property
    def comparisons_at(self) -> Mapping[Place, list[Comparison]]:
        """Return the pairs of each place."""
        pairs_by_place: dict[Place, list[Comparison]] = {}
        for pair in self.comparisons:
            pairs_by_place.setdefault(place_of(pair), []).append(pair)
        return pairs_by_place

    @cached_property
    def ranks(self) -> dict[Place, dict[str, tuple[int, int]]]:
        """Return ranks of the targets at each place, from and to."""
        return rank_places(self.judgements, self.comparisons)

    @cached_property
    def upgrades(self) -> tuple[Upgrade, ...]:
        """Compare version with version; none of a study of two targets, whose answer compares them already."""
        if len(self.targets) <= 2:
            return ()
        return tuple(upgrades(self.judgements, self.comparisons, self.averages))

    @cached_property
    def answer(self) -> Answer:
        """Return the answer to the study's question."""
        return answer(self.judgements, self.comparisons, self.averages, self.capacity)

    @cached_property
    def histograms(self) -> CellHistograms:
        """Return response times of all repeats together; without sums of statements, slow to decode."""
        return cell_histograms(self.results, self.judgements)

    @cached_property
    def quantiles(self) -> tuple[LatencyJudgement, ...]:
        """Return response times of each cell. Cells that were run once have no interval here: drawing it takes long."""
        return tuple(judge_latency(self.judgements, self.histograms.merged, self.histograms.seconds))

    @cached_property
    def quantiles_of(self) -> Mapping[Cell, Mapping[Quantile, int]]:
        """Map each cell to quantile -> nanoseconds."""
        quantiles: dict[Cell, dict[Quantile, int]] = {}
        for cell_quantile in self.quantiles:
            quantiles.setdefault(cell_quantile.cell, {})[cell_quantile.quantile] = cell_quantile.value_ns
        return quantiles

    @cached_property
    def latency(self) -> tuple[LatencyJudgement, ...]:
        """Return response times of each cell; of those that were run once with the interval of their noise."""
        return tuple(with_noise_intervals(self.quantiles, self.histograms.seconds))

    @cached_property
    def curves(self) -> tuple[ResponseCurve, ...]:
        """Return response times by percentile, of cells that have histograms."""
        return tuple(response_curves(self.histograms))

    @cached_property
    def types(self) -> list[CellTypes]:
        """Return cells whose workload has several transaction types."""
        return cells_with_types(self.judgements, self.histograms.types)

    @cached_property
    def space(self) -> list[CellSpace]:
        """Return cells of whose tables it is known what they take."""
        return cells_with_space(self.results, self.judgements)

    @cached_property
    def fairness(self) -> Fairness:
        """Return whether the targets were alike in effect."""
        return judge_fairness(self.results, self.judgements, self.comparisons)

    @cached_property
    def capacity(self) -> tuple[CapacityJudgement, ...]:
        """Judge the capacity of targets and memory budgets measured at several concurrencies."""
        return tuple(judge_capacity(self.judgements))

    @cached_property
    def machine(self) -> MachineFindings:
        """Return what was found of the machine before the runs."""
        return machine_findings(self.results)

    @cached_property
    def explanation(self) -> Explanation | None:
        """Return where the time of each cell goes; None of a search for a rate."""
        from dbdyno.analyse.explain import explain

        return None if self.times is None else explain(self.judgements, self.times)

    @cached_property
    def thread_explanation(self) -> Explanation | None:
        """Return the same time by what the server's session threads did; None where no run's were watched."""
        from dbdyno.analyse.explain import explain_threads

        return None if self.times is None else explain_threads(self.judgements, self.times)

    @cached_property
    def user_explanation(self) -> Explanation | None:
        """Return the same time by whose work the processors did, of cells that used them up."""
        from dbdyno.analyse.explain import explain_users

        return None if self.times is None else explain_users(self.judgements, self.times)

    @cached_property
    def network_times(self) -> Sequence[NetworkTime]:
        """Return how much of the time of cells over a network the network takes; none where that is not known."""
        from dbdyno.analyse.explain import network_times

        return network_times(self.times or {})

    @cached_property
    def times(self) -> Times | None:
        """Return what the runs of each cell store of where their time went; None of a search for a rate."""
        from dbdyno.report.why._cell_times import study_times

        return study_times(self.results, self.judgements, self.statement_sums)

    @cached_property
    def statement_sums(self) -> Mapping[Cell, Sequence[StatementSums]]:
        """Sum statements of each judged run. Ask for them before `histograms`, which read the same files."""
        self.histograms = cell_histograms(self.results, self.judgements, has_statements=True)
        return self.histograms.statements

    @cached_property
    def counters(self) -> list[CellCounters]:
        """Collect counters of cells whose servers' counters are known over their windows."""
        return cells_with_counters(self.results, self.judgements)

    @cached_property
    def lives(self) -> ServerLifecycles:
        """Collect the servers' starts, shutdowns, recoveries, memory limits and crashes."""
        return server_lifecycles(self.results, self.records, self.targets)

    @cached_property
    def limitations(self) -> tuple[Caveat, ...]:
        """Return what limits the findings, the gravest first.

        If others used processors in most runs, only results that differ and critical differences are graver.
        """
        courses = courses_again(self.results, self.records)
        study_caveats = limitations(self.facts, self.records, self.judgements, self.comparisons, courses)
        grave_codes = {"results-differ"}
        shared_codes = {OTHER_LOAD, STEAL} if is_mostly_disturbed(self.records) else set()
        caveats = (
            *altered_caveats(self.results),
            *(caveat for caveat in study_caveats if caveat.code in grave_codes),
            *self.fairness.critical_caveats,
            *(caveat for caveat in study_caveats if caveat.code in shared_codes),
            *self.fairness.high_caveats,
            *(caveat for caveat in study_caveats if caveat.code not in grave_codes | shared_codes),
            *self.machine.caveats,
            *self.fairness.lesser,
        )
        is_imported = self.study.imported is not None
        return tuple(with_remedy(caveat, is_imported=is_imported) for caveat in caveats)

    @property
    def settings_lines(self) -> list[str]:
        """Return the policy with what it left to differ, and what the study sets."""
        return settings_lines(self.study, policy_remains(self.fairness))

    @property
    def targets(self) -> tuple[str, ...]:
        """Return names in the order of the study."""
        return tuple(target.name for target in self.study.targets)

    @property
    def scaled_words(self) -> str:
        """Say that the study is another's at a smaller scale; empty where it is at its own."""
        if not self.study.scaled:
            return ""
        return (
            f"Scaled ({self.study.scaled}): rows, memory, connections, times or servers differ from the original "
            "study. These results say nothing about the original study."
        )

    @property
    def panels(self) -> tuple[tuple[str, str, int], ...]:
        """Return workload, route and tier of each small multiple, in the order of the study."""
        labels = [choice.label for choice in self.study.workloads]
        return tuple(itertools.product(labels, self.study.routes, self.study.tiers_bytes))


def analyse_study(results: StoredStudy) -> StudyAnalysis:
    """Return the analysis of a stored study: the same one at each call, so that nothing is judged twice."""
    return results.once(StudyAnalysis)


def _in_study_order(study: Study, judgements: Iterable[CellJudgement]) -> list[CellJudgement]:
    """Return cells in the order of the study, for any order of their runs."""
    targets = {target.name: index for index, target in enumerate(study.targets)}
    workloads = {choice.label: index for index, choice in enumerate(study.workloads)}

    def place(group: CellJudgement) -> tuple[int, str, int, int, int]:
        cell = group.cell
        workload, target = workloads.get(cell.workload, len(workloads)), targets.get(cell.target, len(targets))
        return workload, cell.route, cell.tier_bytes, cell.concurrency, target

    return sorted(judgements, key=place)


def _missing_run_record(study: Study, run: Run) -> RunRecord:
    engine = next((target.engine for target in study.targets if target.name == run.cell.target), None)
    engine = engine or parse_engine_name("unknown:0")
    return RunRecord(run, engine.family, engine.version, engine.storage_engine, "missing", "not run yet")


def _study_facts(results: StoredStudy) -> StudyFacts:
    study = results.study
    are_hosts_remote = all(
        server.host not in (None, "127.0.0.1", "::1", "localhost") for server in study.servers.values()
    )
    is_local = all(route in ("socket", "loopback") for route in study.routes)
    are_servers_remote = (
        bool(study.servers) and are_hosts_remote and all(t.engine.source.startswith("server") for t in study.targets)
    )
    cores = results.host.get("logical_cpu_count", 0)
    windows = [
        record.figures.window_s for record in results.records() if record.course is not None and record.figures.window_s
    ]
    window_s = min(windows, default=study.window_ns / 1e9)
    return StudyFacts(
        window_s=window_s,
        repeats=study.repeats,
        repeats_looked_at=results.repeats_looked_at,
        is_closed=study.pacing.is_closed,
        cores=cores if isinstance(cores, int) else 0,
        shares_cores=study.imported is None and is_local and not study.pinning.is_apart and not are_servers_remote,
        scaled=study.scaled,
        is_interleaved=study.order == "interleaved",
        are_results_compared=study.equivalence_events > 0 or len(study.targets) < 2,
        results=tuple(results.compared([t.name for t in study.targets], [w.label for w in study.workloads])),
        imported=study.imported.tool if study.imported else "",
        is_running=results.is_being_written,
    )


def settled_records(results: StoredStudy) -> list[RunRecord]:
    """Return every stored run with what its seconds say of its level."""
    pacing = results.study.pacing
    is_rate_varied = bool(pacing.stretches) or pacing.search is not None
    return [
        settled_again(record, partial(results.window_tps, record.run.run_id), is_rate_varied=is_rate_varied)
        for record in results.records()
    ]
