"""Pure numerics: functions of arrays, without engines, files or words."""

from dbdyno.stats._compare import (
    MARGIN,
    LogDifference,
    compare,
    repeats_to_decide,
    smallest_detectable_ratio,
    verdict_of,
)
from dbdyno.stats._families import holm, rank_intervals
from dbdyno.stats._noise import NoiseInterval, autocorrelation_time, noise_interval
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
from dbdyno.stats._stalls import Stalls, stalls

__all__ = [
    "ASSUMED_SPREAD",
    "MARGIN",
    "MODERATED_FROM_CELLS",
    "LogDifference",
    "LogLevel",
    "ModeratedSpread",
    "NoiseInterval",
    "Stalls",
    "autocorrelation_time",
    "bounded_exp",
    "compare",
    "holm",
    "moderated_spread",
    "noise_interval",
    "rank_intervals",
    "repeated_level",
    "repeats_to_decide",
    "single_run_level",
    "smallest_detectable_ratio",
    "stalls",
    "t_quantile",
    "verdict_of",
]
