"""Pure numerics: functions of arrays, without engines, files or words."""

from dbdyno.stats._noise import NoiseInterval, autocorrelation_time, noise_interval

__all__ = ["NoiseInterval", "autocorrelation_time", "noise_interval"]
