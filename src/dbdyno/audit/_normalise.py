"""Normalises the spelling of values: sizes in bytes, switches ON or OFF, all other words in upper case."""

from __future__ import annotations

import re

from dbdyno.audit._reading import Value
from dbdyno.engines import Kind, fold_charsets

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}
_MOST = 1e100  # products of such numbers are finite
_NUMBER_RE = re.compile(r"([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)([KMGTPE]?)B?", re.IGNORECASE)
_ON = frozenset({"ON", "1", "YES", "TRUE"})
_OFF = frozenset({"OFF", "0", "NO", "FALSE"})
# XtraDB 5.5 named what later versions number.
_NEIGHBOURS = {"NONE": 0, "AREA": 1, "CONT": 2}
_SWITCHED_WORDS = {"server.query_cache_type": ("OFF", "ON", "DEMAND")}


def normalise(text: str, kind: Kind, parameter_id: str = "") -> Value:
    """Return the value that a server's text means.

    Parameters
    ----------
    kind : how values of the parameter are written
    parameter_id : for parameters whose words and numbers mean the same

    >>> normalise("64M", "size"), normalise("75.000000", "float"), normalise("0.001", "float")
    (67108864, 75, 0.001)
    >>> normalise("yes", "flag"), normalise("detect_only", "flag"), normalise("full_crc32", "enum")
    ('ON', 'DETECT_ONLY', 'FULL_CRC32')
    >>> normalise("area", "enum", "flush.neighbors"), normalise("0", "enum", "server.query_cache_type")
    (1, 'OFF')
    """
    upper_text = (fold_charsets(text) if parameter_id.startswith("charset.") else text).strip().upper()
    if kind == "flag":
        return switch(upper_text)
    if parameter_id == "flush.neighbors" and upper_text in _NEIGHBOURS:
        return _NEIGHBOURS[upper_text]
    if parameter_id in _SWITCHED_WORDS and upper_text in ("0", "1", "2"):
        return _SWITCHED_WORDS[parameter_id][int(upper_text)]
    if parameter_id == "trx.isolation":
        return upper_text.replace(" ", "-").replace("_", "-")
    if kind == "string":
        return upper_text
    quantity = parse_number(upper_text)
    return upper_text if quantity is None else quantity


def switch(text: str) -> str:
    """Return ON or OFF for everything that means it; other words in upper case.

    >>> switch("true"), switch("0"), switch("DISABLED")
    ('ON', 'OFF', 'DISABLED')
    """
    upper_text = text.strip().upper()
    return "ON" if upper_text in _ON else "OFF" if upper_text in _OFF else upper_text


def parse_number(text: str) -> int | float | None:
    """Return a number with an optional size unit; whole numbers are whole; None when it is none, or beyond any server.

    >>> parse_number("2G"), parse_number("0.000000"), parse_number("utf8mb4"), parse_number("1e400")
    (2147483648, 0, None, None)
    """
    match = _NUMBER_RE.fullmatch(text.strip())
    if match is None:
        return None
    value = float(match[1]) * _UNITS[match[2].upper()]
    if abs(value) > _MOST:
        return None
    if match[1].lstrip("+-").isdigit():
        return int(match[1]) * _UNITS[match[2].upper()]
    return int(value) if value == int(value) else value


def value_text(value: Value) -> str:
    """Return the value as findings write it.

    >>> value_text(75.0), value_text(0.001), value_text("ON")
    ('75', '0.001', 'ON')
    """
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else repr(value)
    return str(value)
