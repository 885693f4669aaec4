"""Formats values, comparisons and the use of the client for the report; units by the end of a name."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import assumed_words
from dbdyno.core import (
    Comparison,
    RunRecord,
    counted,
    format_bytes,
    format_duration,
    percent,
    short_percent,
    target_title,
)
from dbdyno.study import IMPORTED

_MOST_OPENING_WORDS = 25
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z0-9])")
_CLAUSE_END = re.compile(r"[:;] ")
_POWERS = np.append(1.0, np.cumprod(np.full(308, 10.0)))


def milliseconds(value_ns: float | None) -> str:
    """Return a response time with three digits; empty when it is not known.

    >>> milliseconds(6_130_000), milliseconds(412_345_678), milliseconds(84_000), milliseconds(1.2345e12)
    ('6.13 ms', '412 ms', '84 µs', '1,230 s')
    >>> milliseconds(999_817_215)
    '1 s'
    """
    if value_ns is None:
        return ""
    if value_ns < 100_000:
        return f"{value_ns / 1e3:.3g} µs"
    if value_ns < 999.5e6:  # what three digits make of more is a second
        return f"{value_ns / 1e6:.3g} ms"
    return f"{figure(value_ns / 1e9, 3)} s"


def opening_sentence(text: str) -> str:
    """Return the first sentence of a text; of one with more than 25 words as many clauses or words as fit.

    >>> opening_sentence("Windows of 12.5 s: too short. Longer ones help.")
    'Windows of 12.5 s: too short.'
    >>> opening_sentence(f"Memory differs: {'word ' * 30}end. It favours one.")
    'Memory differs.'
    >>> opening_sentence("word " * 30)[-11:]
    'word word …'
    """
    sentence = _SENTENCE_END.split(text, 1)[0]
    if len(sentence.split()) <= _MOST_OPENING_WORDS:
        return sentence
    clauses = [sentence[: match.start()] for match in _CLAUSE_END.finditer(sentence)]
    short_clauses = [clause for clause in clauses if len(clause.split()) <= _MOST_OPENING_WORDS]
    return f"{short_clauses[-1]}." if short_clauses else f"{' '.join(sentence.split()[:_MOST_OPENING_WORDS])} …"


def limitations_title(count: int, *, is_first_whole: bool) -> str:
    """Return the title of the limitations that follow the open one, which they repeat in full if it was shortened."""
    if is_first_whole:
        return f"{counted(count - 1, 'more limitation')}, and what would remove each"
    return "The limitation in full" if count == 1 else f"All {count} limitations in full, and what would remove each"


def rank_words(places: tuple[int, int], count: int) -> str:
    """Return places as people read them.

    >>> rank_words((1, 1), 3), rank_words((1, 2), 3), rank_words((1, 3), 3)
    ('1', '1-2', '1-3')
    """
    if count == 1:
        return ""
    return str(places[0]) if places[0] == places[1] else f"{places[0]}-{places[1]}"


def significant(value: float, digits: int = 4) -> float:
    """Return a number rounded to significant digits, for data that is drawn.

    >>> significant(4212.345), significant(0.000123456), significant(0.0)
    (4212.0, 0.0001235, 0.0)
    """
    return float(f"{value:.{digits}g}")


def significant_digits(values: NDArray[np.float64], digits: int = 4) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return for many numbers at once their significant digits, as whole numbers, and at which decimal place these end.

    >>> [part.tolist() for part in significant_digits(np.array([4212.345, -0.000123456, 0.0, 98765.4]))]
    [[4212.0, -1235.0, 0.0, 9877.0], [0, 7, 3, -1]]
    """
    numbers = np.array(values, dtype=np.float64)
    exponents = np.floor(np.log10(np.abs(numbers), out=np.zeros_like(numbers), where=numbers != 0)).astype(np.int64)
    places = digits - 1 - exponents
    scale = _POWERS[np.minimum(np.abs(places), len(_POWERS) - 1)]
    # NumPy rounds in two ways: it multiplies by a power of ten, or divides by one.
    with np.errstate(over="ignore"):  # from the branch that is not taken
        return np.rint(np.where(places >= 0, numbers * scale, numbers / scale)), places


def at_places(digits: NDArray[np.float64], places: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the numbers of which `significant_digits` gives the parts.

    >>> at_places(np.array([4212.0, -1235.0, 0.0, 9877.0]), np.array([0, 7, 3, -1])).tolist()
    [4212.0, -0.0001235, 0.0, 98770.0]
    """
    scale = _POWERS[np.minimum(np.abs(places), len(_POWERS) - 1)]
    with np.errstate(over="ignore"):  # as above
        numbers: NDArray[np.float64] = np.where(places >= 0, digits / scale, digits * scale)
    return numbers


def figure(value: float, digits: int = 4) -> str:
    """Return a number for people, rounded to significant digits, never with an exponent below a million millions.

    >>> figure(13388.2), figure(98.1267), figure(134.2, 2), figure(0.00123456), figure(-0.0000158)
    ('13,390', '98.13', '130', '0.001235', '-0.0000158')
    """
    rounded = significant(value, digits)
    if 0 < abs(rounded) < 1e-4:
        return f"{rounded:.{digits - 1 - math.floor(math.log10(abs(rounded)))}f}".rstrip("0")
    return f"{rounded:,.12g}"


def server_title(record: RunRecord) -> str:
    """Return what ran, as its vendor writes it; a storage engine is named where it is not InnoDB.

    Logs of other tools may not tell the server, its version or its storage engine.
    """
    if record.family == "unknown":
        return f"server unknown, version {record.version}" if record.version else "server unknown"
    if not record.version:
        return f"{record.family}, version unknown"
    storage = "" if record.storage_engine in ("innodb", "unknown") else f"+{record.storage_engine}"
    return target_title(f"{record.family}:{record.version}{storage}")


def workload_title(name: str) -> str:
    """Return the name of a workload; without what marks those that only a log names.

    >>> workload_title("imported:not named"), workload_title("imported:tpcc.lua"), workload_title("sysbench/oltp")
    ('workload not named in the logs', 'tpcc.lua', 'sysbench/oltp')
    """
    own_name = name.removeprefix(IMPORTED)
    is_named = own_name == name or not own_name.startswith("not named")
    return own_name if is_named else f"workload not named in the logs{own_name.removeprefix('not named')}"


def clock_time(unix_ns: int) -> str:
    """Return the universal time.

    >>> clock_time(1795000000000000000)
    '2026-11-18 11:06:40 UTC'
    """
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(unix_ns / 1e9))


def humanised(key: str, value: object) -> str:
    """Return a fact of a stored document in words, by the unit that its name carries.

    >>> humanised("memory_bytes", 1610612736), humanised("populate_ns", 1_900_000_000), humanised("rows_count", 200000)
    ('1.5 GiB', '1.9 s', '200,000')
    """
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number_words(key, value)
    if isinstance(value, list | tuple):
        return ", ".join(humanised(key, item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {humanised(str(name), item)}" for name, item in value.items())
    return str(value)


def label(key: str) -> str:
    """Return a stored name without its unit and underscores.

    >>> label("buffer_pool_bytes"), label("sha256"), label("at_ns")
    ('buffer pool', 'sha256', 'at')
    """
    for suffix in ("_bytes", "_ns", "_count", "_s"):
        key = key.removesuffix(suffix)
    return key.replace("_", " ")


def printable(text: str) -> str:
    r"""Return text from a file without what would steer a terminal.

    >>> printable("a\x1b[31mb\n")
    'a?[31mb '
    """
    return "".join(" " if char in "\n\t" else char if char.isprintable() else "?" for char in text)


def _number_words(key: str, value: int | float) -> str:
    if key.endswith("bytes"):
        return format_bytes(int(value))
    if key.endswith("_ns"):
        return clock_time(int(value)) if value > 10**18 else format_duration(int(value))
    return f"{value:,}" if isinstance(value, int) and "port" not in key and "seed" not in key else f"{value}"


def verdict_words(pair: Comparison) -> str:
    """Return the verdict, with the spread between repeats that it rests on where none was measured."""
    words = assumed_words(pair.assumed_spread)
    if not words or pair.verdict == "not settled":
        return pair.verdict
    tolerance_words = (
        f" (stands up to {short_percent(pair.stands_to)})" if pair.stands_to and pair.is_significant else ""
    )
    return f"{pair.verdict}, {words}{tolerance_words}"


def p_words(pair: Comparison) -> str:
    """Return the adjusted p; empty where the spread is assumed, since it would be the p of an assumption."""
    return "" if pair.p_adjusted is None else f"{pair.p_adjusted:.2g}"


def decider_words(pair: Comparison) -> str:
    """Return what would decide an open comparison: repeats, or what settles its levels."""
    return pair.remedy or str(pair.repeats_needed or "")


def client_share(record: RunRecord) -> float | None:
    """Return the use of the client, 0 to 1; of a run stored by an older version, the busy share."""
    return record.cpu.client_busy_share if record.cpu.client_use_share is None else record.cpu.client_use_share


def client_words(record: RunRecord) -> str:
    """Return the use of the client in a table's cell; empty when nothing is known."""
    share = client_share(record)
    if share is None:
        return ""
    return percent(share) + (" (not calibrated)" if record.cpu.client_use_basis in ("", "busy share") else "")


def most_client_words(records: Iterable[RunRecord]) -> str:
    """Return the largest use among runs."""
    known_records = [record for record in records if client_share(record) is not None]
    return client_words(max(known_records, key=lambda record: client_share(record) or 0.0)) if known_records else ""
