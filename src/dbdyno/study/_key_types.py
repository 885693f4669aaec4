"""Reads the values of a study file's keys. A reader raises ValueError whose text completes "must be ..."."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Callable

from dbdyno.core import (
    STORAGE_ENGINE_ALIASES,
    RetriedError,
    StudyError,
    format_duration,
    parse_bytes,
    parse_duration_ns,
    parse_retried_error,
    with_unit,
)
from dbdyno.study._limits import MemoryLimit, parse_memory_limit
from dbdyno.study._pacing import Stretch, parse_pause, parse_slo, parse_stretch

_LAST_PROCESSOR = 65_535
_LEAST_MEMORY_BYTES = 8 << 20
_PROCESSORS_RE = re.compile(r"([0-9]{1,9})(?:\s*-\s*([0-9]{1,9}))?")


class WrongEntryError(ValueError):
    """Says which entry of a list is wrong; its text completes "must be ..." for that entry."""

    def __init__(self, entry: object, problem: str) -> None:
        super().__init__(problem)
        self.entry = entry


def read_text(value: object) -> str:
    """Read a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text in quotes")
    return value


def read_text_or_none(value: object) -> str:
    """Read a text, which may be empty."""
    return "" if value == "" else read_text(value)


def read_ports(value: object) -> tuple[int, int]:
    """Read the first and the last of a range of ports.

    >>> read_ports("20000-20099")
    (20000, 20099)
    """
    match = re.fullmatch(r"(\d{1,5})\s*-\s*(\d{1,5})", value) if isinstance(value, str) else None
    ports = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1024 <= ports[0] <= ports[1] <= 65_535:
        raise ValueError('a range of ports from 1024 to 65535, such as "20000-20099"')
    return ports


def read_ip_address(value: object) -> str:
    """Read an address that a server can listen on: one interface, not all, and not the loopback one."""
    try:
        address = ipaddress.ip_address(read_text(value))
    except ValueError:
        address = ipaddress.ip_address("0.0.0.0")
    if address.is_unspecified or address.is_loopback:
        raise ValueError('the IP address of one network interface, such as "10.1.0.2"')
    return str(address)


def read_absolute_path(value: object) -> str:
    """Read the path of a folder, from the root on."""
    path = read_text(value)
    if not path.startswith("/"):
        raise ValueError('an absolute path, such as "/data/dbdyno"')
    return path


def read_storage_engine(value: object) -> str:
    """Read the name of a storage engine, as in the name of an engine.

    >>> read_storage_engine("MyRocks"), read_storage_engine("InnoDB")
    ('rocksdb', 'innodb')
    """
    name = read_text(value).strip().lower()
    return STORAGE_ENGINE_ALIASES.get(name, name)


def read_route(value: object) -> str:
    """Read the name of a route, which is a part of file names."""
    if not isinstance(value, str) or not re.fullmatch(r"[a-z][a-z0-9_-]{0,31}", value):
        raise ValueError(
            'a name of at most 32 small letters, digits, "-" and "_", such as "network" or that of a [routes.NAME]'
        )
    return value


def read_round_trip(value: object) -> int:
    """Read the nanoseconds that are added to a round trip.

    >>> read_round_trip("10ms")
    10000000
    """
    try:
        duration_ns = parse_duration_ns(read_text(value))
    except (StudyError, ValueError):
        duration_ns = 0
    if not 500_000 <= duration_ns <= 10**9:
        raise ValueError('a duration from 0.5ms to 1s, such as "10ms"')
    return duration_ns


_RATE_RE = re.compile(r"(\d+(?:\.\d+)?)\s*([kMG]?)bit(?:/s)?")
_RATE_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}


def read_rate(value: object) -> int:
    """Read bits per second.

    >>> read_rate("1Gbit"), read_rate("2.5Gbit/s")
    (1000000000, 2500000000)
    """
    match = _RATE_RE.fullmatch(value) if isinstance(value, str) else None
    bits_per_s = round(float(match[1]) * _RATE_UNITS[match[2]]) if match else 0
    if not 10**6 <= bits_per_s <= 100 * 10**9:
        raise ValueError('a rate from 1Mbit to 100Gbit, such as "1Gbit" or "20Mbit"')
    return bits_per_s


def whole_within(least: int, most: int = 2**31 - 1) -> Callable[[object], int]:
    """Make a reader of whole numbers."""

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"a whole number from {least} to {most:,}")
        return value

    return read


def read_positive(value: object) -> float:
    """Read a number above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ValueError("a number above 0")
    return float(value)


def one_of(*words: str) -> Callable[[object], str]:
    """Make a reader of one of these words."""

    def read(value: object) -> str:
        if value not in words:
            raise ValueError("one of " + ", ".join(f'"{word}"' for word in words))
        return str(value)

    return read


def duration_from(least_ns: int) -> Callable[[object], int]:
    """Make a reader of durations in whole seconds."""

    def read(value: object) -> int:
        try:
            duration_ns = parse_duration_ns(read_text(value))
        except StudyError as error:
            suggestion = with_unit(value, "s")
            words = f'with its unit: "{suggestion}"?' if suggestion else 'such as "12s", "1m30s" or "1h"'
            raise ValueError(f"a duration {words}") from error
        if duration_ns < least_ns:
            raise ValueError(f"at least {least_ns / 1e9:g} s")
        if duration_ns % 10**9:
            raise ValueError("in whole seconds, the resolution of records")
        return duration_ns

    return read


def duration_or_none(least_ns: int, most_ns: int) -> Callable[[object], int]:
    """Return a duration; 0 for "none"."""
    read_duration = duration_within(least_ns, most_ns)

    def read_or_none(value: object) -> int:
        if value == "none":
            return 0
        try:
            return read_duration(value)
        except ValueError as error:
            raise ValueError(f'{error}, or "none"') from error

    return read_or_none


def duration_within(least_ns: int, most_ns: int) -> Callable[[object], int]:
    """Make a reader of durations in whole seconds, up to a longest."""
    read_duration = duration_from(least_ns)

    def read_within(value: object) -> int:
        duration_ns = read_duration(value)
        if duration_ns > most_ns:
            raise ValueError(f"at most {format_duration(most_ns)}")
        return duration_ns

    return read_within


def read_pause_or_zero(value: object) -> int:
    """Read a pause; 0 where there is none."""
    return 0 if value == 0 else read_pause(value)


def read_pause(value: object) -> int:
    """Read a pause."""
    return parse_pause(read_text(value))


def read_stretch(value: object) -> Stretch:
    """Read one stretch of a varying rate."""
    return parse_stretch(read_text(value))


def read_slo(value: object) -> tuple[float, int]:
    """Read a service-level objective."""
    return parse_slo(read_text(value))


def read_share(value: object) -> float:
    """Read a share, above 0 and at most 1."""
    number = read_positive(value)
    if number > 1:
        raise ValueError("a number above 0 and at most 1")
    return number


def read_share_below_one(value: object) -> float:
    """Read a share above 0 and below 1."""
    if value == 1:
        raise ValueError("a number above 0 and below 1")
    return read_share(value)


def read_memory(value: object) -> int:
    """Read a memory size of 8 MiB or more."""
    try:
        size = parse_bytes(read_text(value))
    except StudyError as error:
        raise ValueError('a memory size such as "64MB" or "2GB"') from error
    if size < _LEAST_MEMORY_BYTES:
        suggestion = with_unit(value, "MB")
        is_plausible = suggestion and parse_bytes(suggestion) >= _LEAST_MEMORY_BYTES
        raise ValueError(f'a size with its unit: "{suggestion}"?' if is_plausible else "at least 8MB")
    return size


def read_memory_or_unknown(value: object) -> int:
    """Read a memory size; 0 for "unknown"."""
    if value == "unknown":
        return 0
    try:
        return parse_bytes(read_text(value))
    except StudyError as error:
        raise ValueError('a memory size such as "64MB", or "unknown"') from error


def read_memory_limit(value: object) -> MemoryLimit:
    """Read a limit of memory."""
    return parse_memory_limit(read_text(value))


def read_version(value: object) -> str:
    """Read a version of numbers and dots."""
    text = read_text(value)
    if not re.fullmatch(r"\d+(\.\d+)*", text):
        raise ValueError('numbers and dots, such as "4.2.4"')
    return text


def read_error_codes(value: object) -> tuple[RetriedError, ...]:
    """Read one error code, or a list of them."""
    return tuple(parse_retried_error(item) for item in (value if isinstance(value, list) else [value]))


def read_sha256(value: object) -> str:
    """Read 64 hexadecimal digits."""
    text = read_text(value).lower()
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise ValueError("64 hexadecimal digits")
    return text


def list_of(read: Callable[[object], object], *, may_repeat: bool = False) -> Callable[[object], tuple[object, ...]]:
    """Make a reader of lists; a single value is a list of one."""

    def read_list(value: object) -> tuple[object, ...]:
        items = value if isinstance(value, list) else [value]
        if not items:
            raise ValueError("a list with at least one entry")
        values = tuple(_read_entry(read, item) for item in items)
        if not may_repeat and len(set(values)) != len(values):
            raise ValueError("a list without repetitions")
        return values

    return read_list


def _read_entry(read: Callable[[object], object], item: object) -> object:
    try:
        return read(item)
    except ValueError as error:
        raise WrongEntryError(item, str(error)) from error


def parse_processors(value: object) -> tuple[int, ...]:
    """Return processor numbers of a list such as ``0-2,5``.

    >>> parse_processors("0-2,5")
    (0, 1, 2, 5)
    """
    processors: list[int] = []
    for part in str(value).split(","):
        match = _PROCESSORS_RE.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
        if not first <= last <= _LAST_PROCESSOR:
            raise ValueError('processors such as "0" or "0-3,6"')
        processors.extend(range(first, last + 1))
    if len(set(processors)) != len(processors):
        raise ValueError('processors such as "0" or "0-3,6", each once')
    return tuple(processors)


def or_auto(read: Callable[[object], int]) -> Callable[[object], int | None]:
    """Return a duration, or None for "auto"."""

    def read_open(value: object) -> int | None:
        if value == "auto":
            return None
        try:
            return read(value)
        except ValueError as error:
            raise ValueError(f'{error}, or "auto"') from error

    return read_open
