"""Reads output of tpcc-mysql's ``tpcc_start``, in every form that its interval lines have had."""

from dbdyno.imports.tpcc_mysql._lines import Interval, read_lines
from dbdyno.imports.tpcc_mysql._results import LastReport, read_results
from dbdyno.imports.tpcc_mysql._tool import TPCC_MYSQL, read, survey

__all__ = ["TPCC_MYSQL", "Interval", "LastReport", "read", "read_lines", "read_results", "survey"]
