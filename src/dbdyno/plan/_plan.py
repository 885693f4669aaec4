"""Plans a study: its runs in order, and what all of them will need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from dbdyno.core import Run
from dbdyno.plan._budget import Budget, estimate_budget
from dbdyno.plan._deal import planned_runs
from dbdyno.plan._hours import SeenRestores
from dbdyno.stats import ASSUMED_VARIATION, Variation
from dbdyno.study import ResolvedWorkload, Study

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


def make_plan(
    study: Study,
    workloads: ResolvedWorkloads = MappingProxyType({}),
    seen: SeenRestores | None = None,
    variation: Variation = ASSUMED_VARIATION,
) -> Plan:
    r"""Plan a study.

    Parameters
    ----------
    workloads : what the load generator says of each workload, by target and label; without it the budget counts no rows
    seen : what restores have taken on the machine of the servers; None where that is not known
    variation : of repeats and windows, which decides how many further repeats are expected

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
    return Plan(runs, estimate_budget(study, len(runs), rows, seen, variation), workloads)
