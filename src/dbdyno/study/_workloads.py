"""Names of the workloads and of their options, so that a wrong word is found before anything starts.

The load generator owns what they mean; it checks them again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dbdyno.study._values import OptionValue

RAND_TYPES = ("special", "uniform", "gaussian", "pareto", "zipfian")


def _whole(least: int) -> Callable[[object], OptionValue]:
    def parse(value: object) -> OptionValue:
        number = int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise ValueError(f"a whole number of at least {least}")
        return number

    return parse


def _flag(value: object) -> OptionValue:
    words: Mapping[object, bool] = {"on": True, "off": False, "true": True, "false": False, "1": True, "0": False}
    if isinstance(value, bool):
        return value
    flag = words.get(value.lower() if isinstance(value, str) else str(value))
    if flag is None:
        raise ValueError("on or off")
    return flag


def _real(value: object) -> OptionValue:
    try:
        return float(str(value))
    except ValueError as error:
        raise ValueError("a number") from error


def _word(value: object) -> OptionValue:
    return str(value)


def _rand_type(value: object) -> OptionValue:
    if value not in RAND_TYPES:
        raise ValueError("one of " + ", ".join(RAND_TYPES))
    return str(value)


SYSBENCH_OPTIONS: Mapping[str, Callable[[object], OptionValue]] = MappingProxyType(
    {
        "tables": _whole(1),
        "table_size": _whole(1),
        "range_size": _whole(1),
        "point_selects": _whole(0),
        "simple_ranges": _whole(0),
        "sum_ranges": _whole(0),
        "order_ranges": _whole(0),
        "distinct_ranges": _whole(0),
        "index_updates": _whole(0),
        "non_index_updates": _whole(0),
        "delete_inserts": _whole(0),
        "range_selects": _flag,
        "skip_trx": _flag,
        "auto_inc": _flag,
        "secondary": _flag,
        "create_secondary": _flag,
        "create_table_options": _word,
        "rand_type": _rand_type,
        "rand_spec_iter": _whole(1),
        "rand_spec_pct": _whole(1),
        "rand_spec_res": _whole(1),
        "rand_pareto_h": _real,
        "rand_zipfian_exp": _real,
    }
)

OPTION_ALIASES: Mapping[str, str] = MappingProxyType({"rows": "table_size"})

WORKLOADS: Mapping[str, Mapping[str, Callable[[object], OptionValue]]] = MappingProxyType(
    {
        "sysbench/oltp_read_write": SYSBENCH_OPTIONS,
        "sysbench/oltp_read_only": SYSBENCH_OPTIONS,
        "sysbench/oltp_write_only": SYSBENCH_OPTIONS,
        "sysbench/oltp_point_select": SYSBENCH_OPTIONS,
    }
)
