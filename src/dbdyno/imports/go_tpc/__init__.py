"""Reads output of go-tpc's ``tpcc``: plain, table and JSON; quantiles of its old and its new buckets."""

from dbdyno.imports.go_tpc._rows import Row, read_rows
from dbdyno.imports.go_tpc._tool import GO_TPC, read, survey

__all__ = ["GO_TPC", "Row", "read", "read_rows", "survey"]
