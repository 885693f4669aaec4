"""Answers where the time of a transaction goes, and which parts of it a difference consists of.

Breakdowns of runs in, findings out. The time is split by what the client waited for, from what every results folder
stores; `_part` defines the model, which other ways of splitting the same time share.
"""

from dbdyno.analyse.explain._causes import FACTORS, Cause, Condition, PartClaim, causes, causes_from
from dbdyno.analyse.explain._choose import choose_pair, choose_place
from dbdyno.analyse.explain._circumstances import LEVELS, Circumstances, processors_used
from dbdyno.analyse.explain._counted_work import CountedWork, counted_work
from dbdyno.analyse.explain._explanation import Explanation, explain, explain_threads, explain_users, watched_runs
from dbdyno.analyse.explain._gap import LEAST_SHARE, Difference, Gap, PartGap, PartVerdict, compare_breakdowns
from dbdyno.analyse.explain._knees import RESOURCES, ROW_LOCKS, Knee, knee_of, utilisation
from dbdyno.analyse.explain._moments import (
    SHORTEST_WAVE_S,
    SIDES,
    MomentKind,
    Moments,
    RunSeconds,
    has_moments,
    stalls_explained,
    waves_explained,
)
from dbdyno.analyse.explain._network import NetworkTime, network_times
from dbdyno.analyse.explain._part import PARTS, REST, Breakdown, Part, PartKind, Split, rest_of
from dbdyno.analyse.explain._profile import Frame, FunctionTimes, StackComparison, compare_stacks, same_function
from dbdyno.analyse.explain._proof import Claim, Effect, Proof, ProofTimes, ProofVerdict, judge_proof, least_effect_ms
from dbdyno.analyse.explain._ranking import CauseRanking, FoundCause, Grade, rank_causes
from dbdyno.analyse.explain._statements import (
    NetworkUse,
    PinnedServer,
    RunTimes,
    StatementTimes,
    noise_share_of_time,
    split_by_statement,
    statement_mix,
)
from dbdyno.analyse.explain._threads import INNODB_COUNTERS, NOT_NAMED, THREAD_PARTS, split_by_threads
from dbdyno.analyse.explain._users import USER_PARTS, split_by_users
from dbdyno.analyse.explain._words import (
    cause_sentence,
    difference_words,
    gap_lines,
    least_total,
    ms_words,
    route_words,
    shown_causes,
    step_words,
)

__all__ = [
    "FACTORS",
    "INNODB_COUNTERS",
    "LEAST_SHARE",
    "LEVELS",
    "NOT_NAMED",
    "PARTS",
    "RESOURCES",
    "REST",
    "ROW_LOCKS",
    "SHORTEST_WAVE_S",
    "SIDES",
    "THREAD_PARTS",
    "USER_PARTS",
    "Breakdown",
    "Cause",
    "CauseRanking",
    "Circumstances",
    "Claim",
    "Condition",
    "CountedWork",
    "Difference",
    "Effect",
    "Explanation",
    "FoundCause",
    "Frame",
    "FunctionTimes",
    "Gap",
    "Grade",
    "Knee",
    "MomentKind",
    "Moments",
    "NetworkTime",
    "NetworkUse",
    "Part",
    "PartClaim",
    "PartGap",
    "PartKind",
    "PartVerdict",
    "PinnedServer",
    "Proof",
    "ProofTimes",
    "ProofVerdict",
    "RunSeconds",
    "RunTimes",
    "Split",
    "StackComparison",
    "StatementTimes",
    "cause_sentence",
    "causes",
    "causes_from",
    "choose_pair",
    "choose_place",
    "compare_breakdowns",
    "compare_stacks",
    "counted_work",
    "difference_words",
    "explain",
    "explain_threads",
    "explain_users",
    "gap_lines",
    "has_moments",
    "judge_proof",
    "knee_of",
    "least_effect_ms",
    "least_total",
    "ms_words",
    "network_times",
    "noise_share_of_time",
    "processors_used",
    "rank_causes",
    "rest_of",
    "route_words",
    "same_function",
    "shown_causes",
    "split_by_statement",
    "split_by_threads",
    "split_by_users",
    "stalls_explained",
    "statement_mix",
    "step_words",
    "utilisation",
    "watched_runs",
    "waves_explained",
]
