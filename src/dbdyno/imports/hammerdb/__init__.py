"""Reads HammerDB's TPROC-C: its log or printed output, transaction counter, time profile, job reports."""

from dbdyno.imports.hammerdb._counter import CounterReading, read_counter
from dbdyno.imports.hammerdb._log import Facts, facts_of, log_parts
from dbdyno.imports.hammerdb._profile import Profile, read_profiles
from dbdyno.imports.hammerdb._tool import HAMMERDB, read, survey

__all__ = [
    "HAMMERDB",
    "CounterReading",
    "Facts",
    "Profile",
    "facts_of",
    "log_parts",
    "read",
    "read_counter",
    "read_profiles",
    "survey",
]
