"""Gives what reports state of the statistics behind them: their version, and the limits of their tests."""

from dbdyno.stats import GATE_METRICS, LEAST_MOVE, METHOD, MOST_P

__all__ = ["GATE_METRICS", "LEAST_MOVE", "METHOD", "MOST_P"]
