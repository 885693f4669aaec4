"""Every key a study file may hold: its table, how its value is read, and what it stands for.

One row a key; the reader, the writer and the reference page walk the same rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dbdyno.core import (
    RetriedError,
    StudyError,
    format_duration,
    parse_bytes,
    parse_duration_ns,
    parse_retried_error,
)
from dbdyno.study._limits import MemoryLimit, parse_memory_limit
from dbdyno.study._pacing import Stretch, parse_pause, parse_slo, parse_stretch

_LAST_PROCESSOR = 65_535


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a study file.

    Parameters
    ----------
    read : raises ValueError whose text completes "must be ..."
    default : used when the key is absent; `...` marks a key that must be there
    """

    read: Callable[[object], object]
    default: object
    meaning: str


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text in quotes")
    return value


def _text_or_none(value: object) -> str:
    return "" if value == "" else _text(value)


def _whole(least: int, most: int = 2**31 - 1) -> Callable[[object], int]:
    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"a whole number from {least} to {most:,}")
        return value

    return read


def _positive(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ValueError("a number above 0")
    return float(value)


def _one_of(*words: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in words:
            raise ValueError("one of " + ", ".join(f'"{word}"' for word in words))
        return str(value)

    return read


def _duration(least_ns: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        try:
            duration_ns = parse_duration_ns(_text(value))
        except StudyError as error:
            raise ValueError('a duration such as "12s", "15min" or "250ms"') from error
        if duration_ns < least_ns:
            raise ValueError(f"at least {least_ns / 1e9:g} s")
        if duration_ns % 10**9:
            raise ValueError("whole seconds: records are kept by the second")
        return duration_ns

    return read


def _duration_or_none(least_ns: int, most_ns: int) -> Callable[[object], int]:
    """A duration; 0 for "none"."""
    read = _duration_within(least_ns, most_ns)

    def read_or_none(value: object) -> int:
        if value == "none":
            return 0
        try:
            return read(value)
        except ValueError as error:
            raise ValueError(f'{error}, or "none"') from error

    return read_or_none


def _duration_within(least_ns: int, most_ns: int) -> Callable[[object], int]:
    read = _duration(least_ns)

    def read_within(value: object) -> int:
        duration_ns = read(value)
        if duration_ns > most_ns:
            raise ValueError(f"at most {format_duration(most_ns)}")
        return duration_ns

    return read_within


def _pause(value: object) -> int:
    return parse_pause(_text(value))


def _stretch(value: object) -> Stretch:
    return parse_stretch(_text(value))


def _slo(value: object) -> tuple[float, int]:
    return parse_slo(_text(value))


def _share(value: object) -> float:
    number = _positive(value)
    if number > 1:
        raise ValueError("a number above 0 and at most 1")
    return number


def _share_below_one(value: object) -> float:
    if value == 1:
        raise ValueError("a number above 0 and below 1")
    return _share(value)


def _memory(value: object) -> int:
    try:
        size = parse_bytes(_text(value))
    except StudyError as error:
        raise ValueError('a memory size such as "64MB" or "2GB"') from error
    if size < 8 << 20:
        raise ValueError("at least 8MB")
    return size


def _memory_or_unknown(value: object) -> int:
    if value == "unknown":
        return 0
    try:
        return parse_bytes(_text(value))
    except StudyError as error:
        raise ValueError('a memory size such as "64MB", or "unknown"') from error


def _memory_limit(value: object) -> MemoryLimit:
    return parse_memory_limit(_text(value))


def _version(value: object) -> str:
    text = _text(value)
    if not re.fullmatch(r"\d+(\.\d+)*", text):
        raise ValueError('numbers and dots, such as "4.2.4"')
    return text


def _error_codes(value: object) -> tuple[RetriedError, ...]:
    return tuple(parse_retried_error(item) for item in (value if isinstance(value, list) else [value]))


def _sha256(value: object) -> str:
    text = _text(value).lower()
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise ValueError("64 hexadecimal digits")
    return text


def _list_of(read: Callable[[object], object], *, may_repeat: bool = False) -> Callable[[object], tuple[object, ...]]:
    def read_list(value: object) -> tuple[object, ...]:
        items = value if isinstance(value, list) else [value]
        if not items:
            raise ValueError("a list with at least one entry")
        values = tuple(read(item) for item in items)
        if not may_repeat and len(set(values)) != len(values):
            raise ValueError("a list without repetitions")
        return values

    return read_list


def parse_processors(value: object) -> tuple[int, ...]:
    """Processor numbers of a list such as ``0-2,5``.

    >>> parse_processors("0-2,5")
    (0, 1, 2, 5)
    """
    processors: list[int] = []
    try:
        for part in str(value).split(","):
            first, _, last = part.partition("-")
            processors.extend(range(_processor(first), _processor(last or first) + 1))
    except ValueError as error:
        raise ValueError('processors such as "0" or "0-3,6"') from error
    if not processors or len(set(processors)) != len(processors):
        raise ValueError('processors such as "0" or "0-3,6", each once')
    return tuple(processors)


def _processor(text: str) -> int:
    number = int(text)
    if number > _LAST_PROCESSOR:
        raise ValueError(text)
    return number


def _open(read: Callable[[object], int]) -> Callable[[object], int | None]:
    """A duration, or None for "auto"."""

    def read_open(value: object) -> int | None:
        if value == "auto":
            return None
        try:
            return read(value)
        except ValueError as error:
            raise ValueError(f'{error}, or "auto"') from error

    return read_open


TOP: Mapping[str, Key] = MappingProxyType(
    {
        "name": Key(_text, "", "short name; the file's own name when absent"),
        "question": Key(_text, "", "the question the study answers, one line"),
        "scaled": Key(_text, "", "name of the scale that the values are of; written by --scale"),
        "policy": Key(
            _one_of("aligned", "vendor", "tuned"),
            "aligned",
            "how targets are configured: equal in effect; as their vendors leave them; each by an `options_file`",
        ),
        "targets": Key(_list_of(_text), (), "engines as FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]"),
    }
)
AXES: Mapping[str, Key] = MappingProxyType(
    {
        "tier": Key(_list_of(_memory), ..., "memory budgets of the server, such as 64MB"),
        "concurrency": Key(_list_of(_whole(1, 100_000)), ..., "connections with one transaction in flight each"),
        "route": Key(_list_of(_one_of("socket", "loopback")), ("socket",), "how the client reaches the server"),
        "storage_engine": Key(_list_of(_text), (), "each target once with each of these"),
    }
)
_ROUTES = ("socket", "loopback", "network", "unknown")
IMPORTED: Mapping[str, Key] = MappingProxyType(
    {
        "tool": Key(_text, ..., "which wrote the logs"),
        "origin": Key(_text, ..., "the folder that held them"),
    }
)
"""Of a study that ``dbdyno import`` wrote. It is reported and never run, so its axes may say that they don't know."""
IMPORTED_AXES: Mapping[str, Key] = MappingProxyType(
    {
        **AXES,
        "tier": Key(_list_of(_memory_or_unknown), ..., 'memory budgets, or "unknown"'),
        "route": Key(_list_of(_one_of(*_ROUTES)), ..., "how the client reached the server"),
    }
)
MEASURE: Mapping[str, Key] = MappingProxyType(
    {
        "warm_up": Key(
            _open(_duration(0)), 30 * 10**9, 'driven, not judged; "auto": until throughput and server have settled'
        ),
        "warm_up_max": Key(_duration(150 * 10**9), 1800 * 10**9, "longest adaptive warm-up"),
        "window": Key(
            _open(_duration(2 * 10**9)), 300 * 10**9, 'driven and judged; "auto": until its mean is sure enough'
        ),
        "window_min": Key(_duration(60 * 10**9), 180 * 10**9, 'with window = "auto": before it nothing is asked'),
        "window_max": Key(_duration(60 * 10**9), 900 * 10**9, "longest adaptive window"),
        "target_half_width": Key(
            _share, 0.02, 'with window = "auto": ends it when the half-width of its mean is at most this share'
        ),
        "gates": Key(_one_of("on", "off"), "on", 'with "auto": whether the server\'s own state must have settled, too'),
        "settle": Key(_duration(0), 0, "idle pause before each run"),
        "restore": Key(
            _one_of("run", "ladder"),
            "run",
            'data are restored and the server is started before each run; "ladder": once for all concurrencies of a '
            "target, which earns a caveat",
        ),
        "step_warm_up": Key(
            _duration(0), 60 * 10**9, 'with restore = "ladder": warm-up of each concurrency after the first'
        ),
        "repeats": Key(_whole(1, 50), 2, "runs of each cell"),
        "repeats_max": Key(
            _whole(3, 50),
            None,
            "most runs of a cell: those beyond `repeats` are made only while its level is not sure enough",
        ),
        "level_target_half_width": Key(
            _share,
            0.03,
            "with repeats_max: repeat a cell until its level's half-width at 95 % is at most this share",
        ),
        "seed": Key(_whole(0), 1, "of the order, the rows and the load"),
        "order": Key(_one_of("interleaved", "as-written"), "interleaved", "as-written earns a caveat"),
        "sentinel": Key(
            _text_or_none, "", "a target driven first, in the middle and last of every round, to watch the machine"
        ),
        "protocol": Key(_one_of("prepared", "text"), "prepared", "how statements are sent"),
        "rng": Key(_one_of("sysbench", "dbdyno"), "sysbench", "whose random numbers"),
        "equivalence_events": Key(
            _whole(0), 500, "events that each target is sent before the runs, to compare results; 0 earns a caveat"
        ),
        "after_run": Key(
            _one_of("discard", "stop", "recover"),
            "discard",
            "what to do with a server after its run: kill it; shut it down cleanly, timed; or kill it, start it again "
            "on the same data and shut it down, all timed",
        ),
    }
)
_NOT_TOLD = "not told by logs"
IMPORTED_MEASURE: Mapping[str, Key] = MappingProxyType(
    {
        **MEASURE,
        "window": Key(_duration(0), 0, "the commonest length of a run"),
        "repeats": Key(_whole(1), 1, "most runs of one cell"),
        "warm_up": Key(_duration(0), 0, _NOT_TOLD),
        "settle": Key(_duration(0), 0, _NOT_TOLD),
        "seed": Key(_whole(0), 0, _NOT_TOLD),
        "order": Key(_one_of("interleaved", "as-written", "unknown"), "unknown", _NOT_TOLD),
        "protocol": Key(_one_of("prepared", "text", "unknown"), "unknown", _NOT_TOLD),
        "rng": Key(_one_of("sysbench", "dbdyno", "unknown"), "unknown", _NOT_TOLD),
        "equivalence_events": Key(_whole(0), 0, "none were sent"),
    }
)
"""Of a study that ``dbdyno import`` wrote: what its logs tell. Older versions wrote the other keys as well."""
PACING: Mapping[str, Key] = MappingProxyType(
    {
        "rate_per_s": Key(_positive, None, "transactions due per second over all connections; absent = closed"),
        "arrivals": Key(_one_of("poisson", "constant"), "poisson", "gaps between due times"),
        "think": Key(_pause, None, "closed loop: mean pause of a connection after each transaction, such as 100ms"),
        "think_law": Key(_one_of("exponential", "constant"), "exponential", "how pauses vary"),
        "rates": Key(
            _list_of(_stretch, may_repeat=True),
            (),
            'a rate that varies from the start of the warm-up on: "500/s for 30s", "500/s to 2000/s over 60s"; the '
            "last one goes on",
        ),
        "slo": Key(_slo, None, 'search for the highest rate that meets this objective, such as "p99 < 20ms"'),
        "first_rate": Key(_positive, None, "of the search, a second; the warm-up is driven at it"),
        "precision": Key(_share, 0.05, "of the search: it ends when the next rate up that failed is so close"),
        "probe_settle": Key(_duration(0), 2 * 10**9, "of each rate tried, not judged; `window` is judged"),
    }
)
ERRORS: Mapping[str, Key] = MappingProxyType(
    {
        "draws": Key(
            _one_of("new", "same"),
            None,
            "values of a repeated transaction: drawn anew, or as before; absent: as the imitated tool (sysbench: new)",
        ),
        "retry_limit": Key(
            _whole(0),
            None,
            "repeats before it counts as failed; absent: as the imitated tool (sysbench: until it succeeds)",
        ),
        "also": Key(
            _error_codes,
            (),
            "further errors after which a transaction is repeated: a code, or code/number where the message names a "
            'number of the storage engine, as in [1296, "1180/149"]; those of known storage engines are known',
        ),
        "pause": Key(_pause, 0, "longest random wait before the third attempt; doubled each time, up to 64 times"),
        "prepared_full": Key(
            _one_of("text", "stop"), "stop", "when max_prepared_stmt_count is reached: send the rest as text, or stop"
        ),
    }
)
LIMITS: Mapping[str, Key] = MappingProxyType(
    {
        "memory": Key(
            _memory_limit,
            None,
            'of each server of ours, page cache included, by a control group without swap: "3GB", "tier + 512MB", '
            '"tier * 1.5"',
        ),
    }
)
_SECOND_NS, _HOUR_NS, _DAY_NS = 10**9, 3600 * 10**9, 86_400 * 10**9
TIMEOUTS: Mapping[str, Key] = MappingProxyType(
    {
        "path": Key(
            _duration_within(_SECOND_NS, _HOUR_NS),
            10 * _SECOND_NS,
            "nothing that is sent to another host is acknowledged for so long: its connection is lost",
        ),
        "answer": Key(
            _duration_or_none(_SECOND_NS, _DAY_NS),
            300 * _SECOND_NS,
            "a statement of the load is without any byte of an answer for so long: its connection is lost; "
            '"none": never',
        ),
        "check": Key(
            _duration_within(_SECOND_NS, _DAY_NS),
            None,
            "for a query that reads whole tables; absent: 1h for the sums of a filled table, 10min for a condition "
            "between tables, which is undecided then",
        ),
    }
)
PINNING: Mapping[str, Key] = MappingProxyType(
    {
        "server": Key(parse_processors, None, "processors of the server"),
        "client": Key(parse_processors, None, "processors of the load generator"),
    }
)
TARGET: Mapping[str, Key] = MappingProxyType(
    {
        "engine": Key(_text, ..., "FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]"),
        "name": Key(_text, "", "shown everywhere; the engine's name when absent"),
        "throttled_share": Key(
            _share_below_one,
            0.0,
            "share of the time for which its process is stopped, a few milliseconds every 50: is that found?",
        ),
        "sha256": Key(_sha256, "", "of the file that the engine is unpacked from; another file is refused"),
        "plugin": Key(_text, "", "file that holds the storage engine, where the server has it not"),
        "plugin_version": Key(
            _version, "", "version of that plug-in, on which its options depend; absent: as its file says"
        ),
        "plugin_maturity": Key(
            _text, "", "least ripe plug-in that the server is to load, such as experimental; MariaDB"
        ),
        "options_file": Key(_text, "", "with policy tuned: option file of the server, beside the study file"),
        "options_sha256": Key(_sha256, "", "of that file; another one is refused"),
    }
)
AUDIT: Mapping[str, Key] = MappingProxyType(
    {
        "stop_at": Key(
            _one_of("never", "critical", "high"),
            "never",
            "findings of this weight, or graver, stop the study before its first run, with exit code 1",
        ),
    }
)
CONTAINER: Mapping[str, Key] = MappingProxyType(
    {
        "network": Key(
            _one_of("host", "bridge"), "host", "the host's, or an address of its own that the loopback route goes to"
        ),
        "memory": Key(_memory, None, "limit of the server with the page cache it fills, without swap; absent: none"),
    }
)
SERVER: Mapping[str, Key] = MappingProxyType(
    {
        "socket": Key(_text, None, "path of its socket"),
        "host": Key(_text, None, "its address"),
        "port": Key(_whole(1, 65_535), None, "its port"),
        "user": Key(_text, ..., "account for the load"),
        "password_file": Key(_text, None, "file that holds the password, readable by its owner only"),
        "password_env": Key(_text, None, "environment variable that holds the password"),
        "tls": Key(
            _one_of("off", "preferred", "required", "verify-ca", "verify-identity"),
            "preferred",
            "encryption of all connections: never; over TCP if offered; always; and the certificate signed by tls_ca; "
            "and naming the host",
        ),
        "tls_ca": Key(_text, None, "PEM file of the authority, with verify-ca and verify-identity"),
    }
)
