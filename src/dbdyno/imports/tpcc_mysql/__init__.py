"""Reads output of tpcc-mysql's ``tpcc_start``, in every form that its interval lines have had."""

from dbdyno.imports.tpcc_mysql._tool import TPCC_MYSQL

__all__ = ["TPCC_MYSQL"]
