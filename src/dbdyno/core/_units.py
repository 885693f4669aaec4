"""Parses human units into integers of the smallest unit, and formats them for people.

Memory is counted in powers of two, as the servers' own option files count it: ``64MB``, ``64M`` and
``64MiB`` are all 67,108,864 bytes. Reports print ``MiB`` and ``GiB`` so that nobody has to guess.
"""

from __future__ import annotations

import re

from dbdyno.core._errors import StudyError

_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_TEXT_UNITS = (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10), ("", 1))
_DURATIONS_NS = {"ms": 10**6, "s": 10**9, "min": 60 * 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}
_NUMBER = r"(\d{1,15}(?:\.\d+)?)"  # larger numbers are typing mistakes, and soon infinite
_MEMORY_RE = re.compile(_NUMBER + r"\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_PART_RE = re.compile(_NUMBER + r"\s*(ms|s|min|m|h|d)", re.IGNORECASE)
_DURATION_RE = re.compile(rf"(?:{_PART_RE.pattern}\s*)+", re.IGNORECASE)


def parse_bytes(text: str) -> int:
    """Return bytes of a memory size.

    Raises
    ------
    StudyError : not a size, or not a whole number of bytes

    >>> parse_bytes("64MB"), parse_bytes("1.5 GiB"), parse_bytes("512M")
    (67108864, 1610612736, 536870912)
    """
    match = _MEMORY_RE.fullmatch(text.strip())
    if match is None:
        raise StudyError(f"'{text}' is not a memory size", "", "write a number and a unit, such as 64MB or 2GiB")
    value = float(match[1]) * _BYTES[match[2].lower()]
    if value != int(value) or value <= 0:
        raise StudyError(f"'{text}' is not a positive whole number of bytes", "", "write for example 64MB")
    return int(value)


def memory_text(count: int) -> str:
    """Return a memory size as `parse_bytes` reads it, of the largest unit that divides it.

    >>> memory_text(64 << 20), memory_text(1536), memory_text(0)
    ('64MB', '1536', 'unknown')
    """
    if count == 0:
        return "unknown"
    unit, size = next((unit, size) for unit, size in _TEXT_UNITS if count % size == 0)
    return f"{count // size}{unit}"


def parse_duration_ns(text: str) -> int:
    """Return nanoseconds of a duration.

    Raises
    ------
    StudyError : not a duration

    >>> parse_duration_ns("12s"), parse_duration_ns("1m30s"), parse_duration_ns("1d")
    (12000000000, 90000000000, 86400000000000)
    """
    parts = _PART_RE.findall(text)
    units = [unit.lower() for _, unit in parts]
    if _DURATION_RE.fullmatch(text.strip()) is None or len(set(units)) < len(units):
        suggestion = with_unit(text, "s")
        remedy = f"did you mean {suggestion}?" if suggestion else "write a number and a unit: 250ms, 12s, 1m30s or 1h"
        raise StudyError(f"'{text}' is not a duration", "", remedy)
    return round(sum(float(number) * _DURATIONS_NS[unit] for (number, _), unit in zip(parts, units, strict=True)))


def with_unit(value: object, unit: str) -> str:
    """Return a bare number with the unit that was probably meant; empty where it is no bare number, or 0.

    >>> with_unit("10", "s"), with_unit("ten", "s"), with_unit("0", "s")
    ('10s', '', '')
    """
    text = str(value).strip()
    return f"{text}{unit}" if re.fullmatch(_NUMBER, text) and float(text) else ""


def format_bytes(count: int) -> str:
    """Return a size for people, in powers of two.

    >>> format_bytes(67108864), format_bytes(1610612736), format_bytes(900)
    ('64 MiB', '1.5 GiB', '900 B')
    """
    for unit, size in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count} B"


def format_memory(tier_bytes: int) -> str:
    """Return the memory of a tier for people; 0 stands for what an imported log does not state.

    >>> format_memory(67108864), format_memory(0)
    ('64 MiB', 'unknown memory')
    """
    return format_bytes(tier_bytes) if tier_bytes else "unknown memory"


def format_duration(duration_ns: int) -> str:
    """Return a duration for people.

    >>> format_duration(12_000_000_000), format_duration(400_000_000_000), format_duration(250_000_000)
    ('12 s', '6 min 40 s', '250 ms')
    >>> format_duration(0)
    '0 s'
    """
    if 0 < duration_ns < 10**9:
        return f"{duration_ns / 1e6:.4g} ms"
    seconds = duration_ns / 1e9
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest_s = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "min"), (rest_s, "s")]
    return " ".join(f"{value} {unit}" for value, unit in parts if value)[:40] or "0 s"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: the one place that knows when a plural is needed.

    Parameters
    ----------
    plural : where it is more than the noun with an s

    >>> counted(1, "run"), counted(1200, "run"), counted(0, "study", "studies")
    ('1 run', '1,200 runs', '0 studies')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def verb_for(count: int, singular: str, plural: str) -> str:
    """Return the form of a verb that agrees with a count.

    >>> verb_for(1, "is", "are"), verb_for(0, "is", "are")
    ('is', 'are')
    """
    return singular if count == 1 else plural


def format_address(host: str, port: int) -> str:
    """Return an address with its port, as URLs and command lines have it.

    >>> format_address("10.1.0.2", 3306), format_address("fd00::2", 3306)
    ('10.1.0.2:3306', '[fd00::2]:3306')
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def percent(share: float, digits: int = 0, *, signed: bool = False) -> str:
    """Return a share of one in percent, with as many decimals as asked for.

    >>> percent(0.048, 1), percent(0.18), percent(-0.05, signed=True)
    ('4.8 %', '18 %', '-5 %')
    """
    return f"{100 * share:{'+' if signed else ''}.{digits}f} %"


def short_percent(share: float, *, signed: bool = False) -> str:
    """Return a share to two digits, and as a whole number from 10 % on.

    >>> short_percent(0.0123), short_percent(4.9), short_percent(0.5, signed=True), short_percent(0.997)
    ('1.2 %', '490 %', '+50 %', '100 %')
    """
    return f"{'+' if signed and share >= 0 else ''}{short_number(100 * share)} %"


def short_number(value: float, digits: int = 2) -> str:
    """Return a number to as many digits as asked for, and a larger one whole: an exponent is no number for people.

    >>> short_number(1.234), short_number(10.0), short_number(152.3), short_number(1_234.5, 3)
    ('1.2', '10', '152', '1,234')
    """
    return f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"
