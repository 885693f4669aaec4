"""Formats the figures of claims in the digits that were printed."""

from __future__ import annotations

from dbdyno.analyse.claims._catalogue import Unit

NAMES = {"tps": "TPS", "nopm": "NOPM", "tpm": "TPM", "ms": "ms"}


def figure_words(value: float, unit: Unit, rounding: float) -> str:
    """Return a figure with its unit.

    >>> figure_words(1.3436, "ratio", 0.005), figure_words(0.3436, "above", 0.005), figure_words(813.28, "tps", 0.5)
    ('1.34 times', '34 %', '813 TPS')
    """
    return figure(value, unit, rounding) + suffix(unit)


def figure(value: float, unit: Unit, rounding: float) -> str:
    """Return a figure without its unit."""
    if unit in ("below", "above"):
        return f"{100 * value:.{1 if 0 < rounding < 0.005 else 0}f}"
    if unit in ("ms", "plain"):
        return f"{value:,.12g}"
    if unit == "ratio":
        return f"{value:.{2 if rounding < 0.05 else 1}f}"
    return f"{value:,.0f}"


def suffix(unit: Unit) -> str:
    """Return what stands behind a figure of a unit."""
    suffixes = {"below": " %", "above": " %", "ratio": " times", "plain": ""}
    return suffixes.get(unit, f" {NAMES.get(unit, '')}".rstrip())
