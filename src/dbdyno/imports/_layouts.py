"""Lists layouts of published trees that are recognised without a pattern, in the language of patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from dbdyno.imports._pattern import Pattern, compile_pattern

_SCENARIOS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "benchmark_logs": {"workload": "oltp_read_write", "route": "loopback"},
        "benchmark_logs_custom": {"workload": "oltp_read_write", "route": "loopback"},
        "benchmark_logs_read_only": {"workload": "oltp_read_only", "route": "loopback"},
        "benchmark_remote_logs": {"workload": "oltp_read_write", "route": "network"},
        "benchmark_remote_logs_read_only": {"workload": "oltp_read_only", "route": "network"},
    }
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Describes a layout of a tree.

    Parameters
    ----------
    patterns : the first that fits gives the fields
    fixed : fields that hold for every run of such a tree, because its scripts are public
    has_scenarios : the field ``scenario`` gives workload and route
    source : who published it
    """

    name: str
    patterns: tuple[Pattern, ...]
    source: str
    fixed: Mapping[str, str] = field(default_factory=dict)
    has_scenarios: bool = False

    def fields(self, path: str) -> dict[str, str] | None:
        """Return fields of a log's path; None where the layout does not fit."""
        for pattern in self.patterns:
            path_values = pattern.match(path)
            if path_values is not None:
                return self._known_fields(path_values)
        return None

    def _known_fields(self, path_values: dict[str, str]) -> dict[str, str] | None:
        fields = {**self.fixed, **path_values}
        if "engine" in fields and not re.match("[A-Za-z]", fields["engine"]):
            return None
        if self.has_scenarios:
            scenario = _SCENARIOS.get(fields.pop("scenario"))
            return None if scenario is None else {**fields, **scenario}
        return fields


def _compile_patterns(*texts: str) -> tuple[Pattern, ...]:
    return tuple(compile_pattern(text) for text in texts)


LAYOUTS = (
    Layout(
        "percona-2026",
        # The stem says RW in every scenario; the scenario is the folder's name. Older files lack the ending.
        _compile_patterns(
            "{scenario}/{engine}/{version}/Tier{tier}G_RW_{threads}th.sysbench.txt",
            "{scenario}/{engine}/{version}/Tier{tier}G_RW_{threads}th.sysbench",
        ),
        "github.com/Percona-Lab-results/2026-interactive-metrics",
        has_scenarios=True,
    ),
    Layout(
        "checkpoint-2020",
        _compile_patterns(
            "res-tpcc-*/{engine}-{version}.BP{tier:GB}.{storage}.{io}/res.thr{threads}*",
            "res-tpcc-*/{engine}-{version}.BP{tier:GB}.{storage}/res.thr{threads}*",
            "res-tpcc-*/{engine}-{version}.BP{tier:GB}/res.thr{threads}*",
            "res-tpcc-*/{engine}-BP{tier:GB}.{storage}.{io}/res.thr{threads}*",
            "res-tpcc-*/{engine}-BP{tier:GB}.{storage}/res.thr{threads}*",
            "res-tpcc-*/{engine}-BP{tier:GB}/res.thr{threads}*",
            # Two series in the same folder differ by up to a factor of twelve: they are not repeats of each other.
            "res-tpcc-{series}-20*/{engine}-{version}.BP{tier:GB}/thr{threads}/res.txt",
            "res-{engine}-{version}-tpcc-{storage}-BP{tier:GB}GB-*/{io}/res.thr{threads}*",
            "res-{engine}-{version}-BP{tier:GB}-{storage}-tpcc-*/{io}/res.thr{threads}*",
            "res-{engine}-tpcc-{storage}-BP{tier:GB}GB-*/{variant}/res.thr{threads}*",
            "res-{engine}-{version}-tpcc-*/{io}/res.thr{threads}*",
            "res-{engine}-tpcc-*/{io}/res.thr{threads}*",
            "BP*/*/{engine}-{version}.BP{tier:GB}/res.thr{threads}*",
        ),
        "github.com/Percona-Lab-results/2020-07-MySQL-MariaDB-tpcc",
        fixed=MappingProxyType({"workload": "tpcc/sysbench-tpcc", "route": "loopback"}),
    ),
)
"""Known layouts, the first that fits wins."""
