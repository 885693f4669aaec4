"""The question: where does the time of a transaction go, and with which parts does a difference go.

Breakdowns of runs in, findings out. The time is split by what the client waited for, from what every results folder
stores; `_part` defines the model, which other ways of splitting the same time share.
"""

from dbdyno.analyse.explain._choose import choose_pair, choose_place
from dbdyno.analyse.explain._explanation import Explanation, explain, explain_threads
from dbdyno.analyse.explain._gap import LEAST_SHARE, Difference, Gap, PartGap, PartVerdict, compare_breakdowns
from dbdyno.analyse.explain._part import PARTS, REST, Breakdown, Part, PartKind, Split, rest_of
from dbdyno.analyse.explain._statements import RunTimes, StatementTimes, split_by_statement, statement_mix
from dbdyno.analyse.explain._threads import THREAD_PARTS, split_by_threads
from dbdyno.analyse.explain._words import (
    closing_words,
    gap_lines,
    interval_words,
    least_total,
    ms_words,
    step_words,
    thread_lines,
)

__all__ = [
    "LEAST_SHARE",
    "PARTS",
    "REST",
    "THREAD_PARTS",
    "Breakdown",
    "Difference",
    "Explanation",
    "Gap",
    "Part",
    "PartGap",
    "PartKind",
    "PartVerdict",
    "RunTimes",
    "Split",
    "StatementTimes",
    "choose_pair",
    "choose_place",
    "closing_words",
    "compare_breakdowns",
    "explain",
    "explain_threads",
    "gap_lines",
    "interval_words",
    "least_total",
    "ms_words",
    "rest_of",
    "split_by_statement",
    "split_by_threads",
    "statement_mix",
    "step_words",
    "thread_lines",
]
