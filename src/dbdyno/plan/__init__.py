"""Orders the cells of a study, with seeds and budgets. Reads the study only, never the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from dbdyno.core import Run
from dbdyno.plan._alterations import Alteration, ProofStudy, alterations, proof_study, with_lengths
from dbdyno.plan._budget import Budget, check_budget, estimate_budget
from dbdyno.plan._deal import (
    Piece,
    benches_apart,
    dealt_to_benches,
    next_piece,
    pieces,
    pieces_left,
    planned_runs,
    wanted_runs,
)
from dbdyno.plan._deep_study import DEEP_WINDOW_NS, deep_study
from dbdyno.plan._designs import (
    SHORTEST_WINDOW_S,
    Design,
    adaptive_length_rule,
    best_within,
    cheapest_design,
    designs_for,
    planned_design,
)
from dbdyno.plan._hours import TimePart, TimeRange
from dbdyno.plan._order import ordered_runs, share_server
from dbdyno.plan._out_of_scope import out_of_scope
from dbdyno.plan._parts import Dealt, PartOfStudy, dealt_over, runs_of_part
from dbdyno.plan._repeats import FurtherRound, further_rounds, unsure_cells
from dbdyno.plan._self_check import FIRST, SECOND, SelfCheckChoices, self_check_study
from dbdyno.study import ResolvedWorkload, Study

__all__ = [
    "DEEP_WINDOW_NS",
    "FIRST",
    "SECOND",
    "SHORTEST_WINDOW_S",
    "Alteration",
    "Budget",
    "Dealt",
    "Design",
    "FurtherRound",
    "PartOfStudy",
    "Piece",
    "Plan",
    "ProofStudy",
    "ResolvedWorkloads",
    "SelfCheckChoices",
    "TimePart",
    "TimeRange",
    "adaptive_length_rule",
    "alterations",
    "benches_apart",
    "best_within",
    "cheapest_design",
    "check_budget",
    "dealt_over",
    "dealt_to_benches",
    "deep_study",
    "designs_for",
    "further_rounds",
    "make_plan",
    "next_piece",
    "ordered_runs",
    "out_of_scope",
    "pieces",
    "pieces_left",
    "planned_design",
    "planned_runs",
    "proof_study",
    "runs_of_part",
    "self_check_study",
    "share_server",
    "unsure_cells",
    "wanted_runs",
    "with_lengths",
]

ResolvedWorkloads: TypeAlias = Mapping[tuple[str, str], ResolvedWorkload]
"""(target, label of a workload) -> what the load generator says of it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Holds every run of a study, in order, and what all of it will need.

    Parameters
    ----------
    workloads : what the load generator says of each workload, by target and label
    """

    runs: tuple[Run, ...]
    budget: Budget
    workloads: ResolvedWorkloads = field(default_factory=dict)


def make_plan(study: Study, workloads: ResolvedWorkloads = MappingProxyType({})) -> Plan:
    r"""Plan a study.

    Parameters
    ----------
    workloads : what the load generator says of each workload, by target and label; without it the budget counts no rows

    >>> from dbdyno.study import parse_study
    >>> text = 'targets = ["mysql:9.7", "mariadb:11.8"]\nworkload.name = "oltp_read_only"\n'
    >>> study = parse_study(text + 'axes = {tier = "64MB", concurrency = [1, 4]}', "example.toml")
    >>> plan = make_plan(study)
    >>> len(plan.runs), plan.runs[0].repeat, plan.runs[-1].repeat
    (8, 1, 2)
    """
    runs = planned_runs(study)
    rows: dict[str, int] = {}
    for (_, label), workload in workloads.items():
        rows[label] = max(rows.get(label, 0), workload.rows_total)
    return Plan(runs, estimate_budget(study, len(runs), rows), workloads)
