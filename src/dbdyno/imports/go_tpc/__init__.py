"""Reads output of go-tpc's ``tpcc``: plain, table and JSON; quantiles of its old and its new buckets."""

from dbdyno.imports.go_tpc._tool import GO_TPC

__all__ = ["GO_TPC"]
