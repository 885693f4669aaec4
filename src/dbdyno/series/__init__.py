"""Series of seconds from outside: files with one row a second, checked and put in order. Judges nothing."""

from dbdyno.series._read import read_series
from dbdyno.series._rows import RunSeries

__all__ = ["RunSeries", "read_series"]
