"""Computes readings from readings."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.audit._reading import SourcedValue, known, number, weakest

MYSQL = ("mysql", "percona")


def as_derived(reading: SourcedValue) -> SourcedValue:
    """Return a reading that a formula rests on."""
    return known(reading.value, weakest("derived", reading.certainty)) if reading.state == "known" else reading


def product(one: SourcedValue, other: SourcedValue) -> SourcedValue:
    """Multiply two readings; return what one of them lacks."""
    for reading in (one, other):
        if reading.state != "known":
            return reading
    return known(int(number(one) * number(other)), weakest("derived", one.certainty, other.certainty))


def renamed(reading: SourcedValue, names: Mapping[str, str], otherwise: str) -> SourcedValue:
    """Return a reading with its value in other words."""
    if reading.state != "known":
        return reading
    return known(names.get(str(reading.value), otherwise), reading.certainty)
