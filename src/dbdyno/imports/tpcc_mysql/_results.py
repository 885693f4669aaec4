"""Reads what tpcc-mysql prints when it is done: counts by type, seconds, TpmC."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dbdyno.imports._lines import NUMBER

_RAW_RE = re.compile(
    r"^ +\[([0-4])\] sc: ?(\d{1,12}) +lt: ?(\d{1,12}) +rt: ?(\d{1,12}) +fl: ?(\d{1,12})"
    rf"(?: +avg_rt: ({NUMBER}) \((\d{{1,9}})\))? *$",
    re.MULTILINE,
)
_SECONDS_RE = re.compile(r"^ in (\d{1,9}) sec\.", re.MULTILINE)
_TPMC_RE = re.compile(rf"^ *({NUMBER}) TpmC\b", re.MULTILINE)
_ERROR_RE = re.compile(r"^(\d{4}), ([0-9A-Z]{5}), ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """Counts of one type over the measured time.

    Parameters
    ----------
    in_time, late : completed, by the limit of its response time; together all that were completed
    repeats : after an error; gave_up : after 2,000 of them
    mean_ms : None in forms that print none
    """

    in_time: int
    late: int
    repeats: int
    gave_up: int
    mean_ms: float | None

    @property
    def completed(self) -> int:
        """All that were completed."""
        return self.in_time + self.late


@dataclass(frozen=True, slots=True)
class LastReport:
    """Describes the last report, as far as it goes.

    Parameters
    ----------
    types : New-Order, Payment, Order-Status, Delivery, Stock-Level; empty unless all are there
    seconds : that the counts are of
    tpmc : as printed
    errors : code -> count, of messages between the lines
    """

    types: tuple[TypeCounts, ...]
    seconds: int | None
    tpmc: float | None
    errors: dict[str, int]

    @property
    def is_whole(self) -> bool:
        """Return whether the report goes to its end."""
        return bool(self.types) and bool(self.seconds) and self.tpmc is not None


def read_results(text: str) -> LastReport:
    """Return the last report of a run."""
    raw, _, _ = text.partition("<Raw Results2")
    counts_by_type: dict[int, TypeCounts] = {}
    for match in _RAW_RE.finditer(raw):
        in_time, late, repeats, gave_up = (int(word) for word in match.groups()[1:5])
        counts_by_type[int(match[1])] = TypeCounts(
            in_time, late, repeats, gave_up, float(match[6]) if match[6] else None
        )
    errors: dict[str, int] = {}
    for match in _ERROR_RE.finditer(text):
        errors[match[1]] = errors.get(match[1], 0) + 1
    seconds, tpmc = _SECONDS_RE.search(text), _TPMC_RE.search(text)
    return LastReport(
        tuple(counts_by_type[index] for index in range(5)) if len(counts_by_type) == 5 else (),
        int(seconds[1]) if seconds else None,
        float(tpmc[1]) if tpmc else None,
        errors,
    )
