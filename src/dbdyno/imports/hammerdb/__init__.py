"""Reads HammerDB's TPROC-C: its log or printed output, transaction counter, time profile, job reports."""

from dbdyno.imports.hammerdb._counter import read_counter
from dbdyno.imports.hammerdb._profile import read_profiles
from dbdyno.imports.hammerdb._tool import HAMMERDB

__all__ = ["HAMMERDB", "read_counter", "read_profiles"]
