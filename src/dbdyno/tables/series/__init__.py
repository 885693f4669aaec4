"""Reads files with one row a second, from any tool; checks them and puts the seconds in order. Judges nothing."""

from dbdyno.tables.series._read import read_series
from dbdyno.tables.series._rows import RunSeries

__all__ = ["RunSeries", "read_series"]
