"""Pure numerics: functions of arrays, without engines, files or words."""

from dbdyno.stats._compare import (
    MARGIN,
    LogDifference,
    compare,
    compare_pairs,
    repeats_to_decide,
    smallest_detectable_ratio,
    verdict_of,
)
from dbdyno.stats._course import (
    LAG_S,
    SHORTEST_WARM_UP_S,
    Course,
    CourseRule,
    Gates,
    WarmUpEnd,
    WindowEnd,
    advanced,
    followed,
    no_gates,
    run_course,
)
from dbdyno.stats._drift import Drift, drift, quarter_deviation
from dbdyno.stats._families import benjamini_hochberg, holm, rank_intervals
from dbdyno.stats._gates import (
    ServerSteadiness,
    cache_settled,
    device_settled,
    dirty_data_settled,
    is_settled,
    redo_cycled,
    server_steadiness,
)
from dbdyno.stats._lead import Lead, lead
from dbdyno.stats._moves import LEAST_MOVE, MOST_P, LevelMove, level_moves, smallest_new_move, spread_between
from dbdyno.stats._noise import NoiseInterval, autocorrelation_time, noise_interval
from dbdyno.stats._period import Period, period
from dbdyno.stats._planning import ASSUMED_VARIATION, Variation, cheapest_window_s, matching_window_s
from dbdyno.stats._quantile import QuantileInterval, quantile_interval, supported_quantiles
from dbdyno.stats._scalability import Peak, ScalabilityFit, fit_scalability, joined_curve, peak
from dbdyno.stats._segments import Segments, segments
from dbdyno.stats._spread import (
    ASSUMED_SPREAD,
    MODERATED_FROM_CELLS,
    LogLevel,
    ModeratedSpread,
    bounded_exp,
    moderated_spread,
    repeated_level,
    single_run_level,
    t_quantile,
)
from dbdyno.stats._stalls import Stalls, stalled_seconds, stalls
from dbdyno.stats._start import mser5, steady_start
from dbdyno.stats._steady import ACCEPTED, Steadiness, SteadyState, steady_state, whole_cycles
from dbdyno.stats._stopping import (
    StopCheck,
    StoppingPoint,
    StoppingRule,
    may_stop,
    stop_check,
    stop_checks,
    stopping_point,
)

METHOD = "dbdyno-stats/1"
"""Version of the methods, kept with every number that they give."""

__all__ = [
    "ACCEPTED",
    "ASSUMED_SPREAD",
    "ASSUMED_VARIATION",
    "LAG_S",
    "LEAST_MOVE",
    "MARGIN",
    "METHOD",
    "MODERATED_FROM_CELLS",
    "MOST_P",
    "SHORTEST_WARM_UP_S",
    "Course",
    "CourseRule",
    "Drift",
    "Gates",
    "Lead",
    "LevelMove",
    "LogDifference",
    "LogLevel",
    "ModeratedSpread",
    "NoiseInterval",
    "Peak",
    "Period",
    "QuantileInterval",
    "ScalabilityFit",
    "Segments",
    "ServerSteadiness",
    "Stalls",
    "Steadiness",
    "SteadyState",
    "StopCheck",
    "StoppingPoint",
    "StoppingRule",
    "Variation",
    "WarmUpEnd",
    "WindowEnd",
    "advanced",
    "autocorrelation_time",
    "benjamini_hochberg",
    "bounded_exp",
    "cache_settled",
    "cheapest_window_s",
    "compare",
    "compare_pairs",
    "device_settled",
    "dirty_data_settled",
    "drift",
    "fit_scalability",
    "followed",
    "holm",
    "is_settled",
    "joined_curve",
    "lead",
    "level_moves",
    "matching_window_s",
    "may_stop",
    "moderated_spread",
    "mser5",
    "no_gates",
    "noise_interval",
    "peak",
    "period",
    "quantile_interval",
    "quarter_deviation",
    "rank_intervals",
    "redo_cycled",
    "repeated_level",
    "repeats_to_decide",
    "run_course",
    "segments",
    "server_steadiness",
    "single_run_level",
    "smallest_detectable_ratio",
    "smallest_new_move",
    "spread_between",
    "stalled_seconds",
    "stalls",
    "steady_start",
    "steady_state",
    "stop_check",
    "stop_checks",
    "stopping_point",
    "supported_quantiles",
    "t_quantile",
    "verdict_of",
    "whole_cycles",
]
