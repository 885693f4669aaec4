"""Lists every key that a study file may hold: its table, how its value is read, and what it stands for.

One row a key; the reader, the writer and the reference page walk the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dbdyno.study._key_types import (
    duration_from,
    duration_or_none,
    duration_within,
    list_of,
    one_of,
    or_auto,
    parse_processors,
    read_absolute_path,
    read_error_codes,
    read_ip_address,
    read_memory,
    read_memory_limit,
    read_memory_or_unknown,
    read_pause,
    read_pause_or_zero,
    read_ports,
    read_positive,
    read_sha256,
    read_share,
    read_share_below_one,
    read_slo,
    read_stretch,
    read_text,
    read_text_or_none,
    read_version,
    whole_within,
)


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


TOP: Mapping[str, Key] = MappingProxyType(
    {
        "name": Key(read_text, "", "short name; the file's own name when absent"),
        "question": Key(read_text, "", "the question the study answers, one line"),
        "scaled": Key(read_text, "", "name of the scale that the values are of; written by --scale"),
        "policy": Key(
            one_of("aligned", "vendor", "tuned"),
            "aligned",
            "how targets are configured: equal in effect; as their vendors leave them; each by an `options_file`",
        ),
        "targets": Key(list_of(read_text), (), "engines as FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]"),
    }
)
AXES: Mapping[str, Key] = MappingProxyType(
    {
        "tier": Key(list_of(read_memory), ..., "memory budgets of the server, such as 64MB"),
        "concurrency": Key(list_of(whole_within(1, 100_000)), ..., "connections with one transaction in flight each"),
        "route": Key(
            list_of(one_of("socket", "loopback", "network")),
            ("socket",),
            "how the client reaches the server; network: from this machine to the host of [bench]",
        ),
        "storage_engine": Key(list_of(read_text), (), "each target once with each of these"),
    }
)
_ROUTES = ("socket", "loopback", "network", "unknown")
IMPORTED: Mapping[str, Key] = MappingProxyType(
    {
        "tool": Key(read_text, ..., "which wrote the logs"),
        "origin": Key(read_text, ..., "the folder that held them"),
    }
)
"""Of a study that ``dbdyno import`` wrote. It is reported and never run, so its axes may say that they don't know."""
IMPORTED_AXES: Mapping[str, Key] = MappingProxyType(
    {
        **AXES,
        "tier": Key(list_of(read_memory_or_unknown), ..., 'memory budgets, or "unknown"'),
        "route": Key(list_of(one_of(*_ROUTES)), ..., "how the client reached the server"),
    }
)
MEASURE: Mapping[str, Key] = MappingProxyType(
    {
        "warm_up": Key(
            or_auto(duration_from(0)),
            30 * 10**9,
            'driven, not judged; "auto": until throughput and server have settled',
        ),
        "warm_up_max": Key(duration_from(150 * 10**9), 1800 * 10**9, "longest adaptive warm-up"),
        "window": Key(
            or_auto(duration_from(2 * 10**9)), 300 * 10**9, 'driven and judged; "auto": until its mean is sure enough'
        ),
        "window_min": Key(duration_from(60 * 10**9), 180 * 10**9, 'with window = "auto": before it nothing is asked'),
        "window_max": Key(duration_from(60 * 10**9), 900 * 10**9, "longest adaptive window"),
        "target_half_width": Key(
            read_share, 0.02, 'with window = "auto": ends it when the half-width of its mean is at most this share'
        ),
        "gates": Key(one_of("on", "off"), "on", 'with "auto": whether the server\'s own state must have settled, too'),
        "settle": Key(duration_from(0), 0, "idle pause before each run"),
        "restore": Key(
            one_of("run", "ladder"),
            "run",
            'data are restored and the server is started before each run; "ladder": once for all concurrencies of a '
            "target, which earns a caveat",
        ),
        "step_warm_up": Key(
            duration_from(0), 60 * 10**9, 'with restore = "ladder": warm-up of each concurrency after the first'
        ),
        "repeats": Key(whole_within(1, 50), 2, "runs of each cell"),
        "repeats_max": Key(
            whole_within(3, 50),
            None,
            "most runs of a cell: those beyond `repeats` are made only while its level is not sure enough",
        ),
        "level_target_half_width": Key(
            read_share,
            0.03,
            "with repeats_max: repeat a cell until its level's half-width at 95 % is at most this share",
        ),
        "seed": Key(whole_within(0), 1, "of the order, the rows and the load"),
        "order": Key(one_of("interleaved", "as-written"), "interleaved", "as-written earns a caveat"),
        "sentinel": Key(
            read_text_or_none, "", "a target driven first, in the middle and last of every round, to watch the machine"
        ),
        "protocol": Key(one_of("prepared", "text"), "prepared", "how statements are sent"),
        "rng": Key(one_of("sysbench", "dbdyno"), "sysbench", "whose random numbers"),
        "equivalence_events": Key(
            whole_within(0),
            500,
            "events that each target is sent before the runs, to compare results; 0 earns a caveat",
        ),
        "after_run": Key(
            one_of("discard", "stop", "recover"),
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
        "window": Key(duration_from(0), 0, "the commonest length of a run"),
        "repeats": Key(whole_within(1), 1, "most runs of one cell"),
        "warm_up": Key(duration_from(0), 0, _NOT_TOLD),
        "settle": Key(duration_from(0), 0, _NOT_TOLD),
        "seed": Key(whole_within(0), 0, _NOT_TOLD),
        "order": Key(one_of("interleaved", "as-written", "unknown"), "unknown", _NOT_TOLD),
        "protocol": Key(one_of("prepared", "text", "unknown"), "unknown", _NOT_TOLD),
        "rng": Key(one_of("sysbench", "dbdyno", "unknown"), "unknown", _NOT_TOLD),
        "equivalence_events": Key(whole_within(0), 0, "none were sent"),
    }
)
"""Of a study that ``dbdyno import`` wrote: what its logs tell. Older versions wrote the other keys as well."""
PACING: Mapping[str, Key] = MappingProxyType(
    {
        "rate_per_s": Key(read_positive, None, "transactions due per second over all connections; absent = closed"),
        "arrivals": Key(one_of("poisson", "constant"), "poisson", "gaps between due times"),
        "think": Key(read_pause, None, "closed loop: mean pause of a connection after each transaction, such as 100ms"),
        "think_law": Key(one_of("exponential", "constant"), "exponential", "how pauses vary"),
        "rates": Key(
            list_of(read_stretch, may_repeat=True),
            (),
            'a rate that varies from the start of the warm-up on: "500/s for 30s", "500/s to 2000/s over 60s"; the '
            "last one goes on",
        ),
        "slo": Key(read_slo, None, 'search for the highest rate that meets this objective, such as "p99 < 20ms"'),
        "first_rate": Key(read_positive, None, "of the search, a second; the warm-up is driven at it"),
        "precision": Key(read_share, 0.05, "of the search: it ends when the next rate up that failed is so close"),
        "probe_settle": Key(duration_from(0), 2 * 10**9, "of each rate tried, not judged; `window` is judged"),
    }
)
ERRORS: Mapping[str, Key] = MappingProxyType(
    {
        "draws": Key(
            one_of("new", "same"),
            None,
            "values of a repeated transaction: drawn anew, or as before; absent: as the imitated tool (sysbench: new)",
        ),
        "retry_limit": Key(
            whole_within(0),
            None,
            "repeats before it counts as failed; absent: as the imitated tool (sysbench: until it succeeds)",
        ),
        "also": Key(
            read_error_codes,
            (),
            "further errors after which a transaction is repeated: a code, or code/number where the message names a "
            'number of the storage engine, as in [1296, "1180/149"]; those of known storage engines are known',
        ),
        "pause": Key(read_pause, 0, "longest random wait before the third attempt; doubled each time, up to 64 times"),
        "prepared_full": Key(
            one_of("text", "stop"), "stop", "when max_prepared_stmt_count is reached: send the rest as text, or stop"
        ),
    }
)
LIMITS: Mapping[str, Key] = MappingProxyType(
    {
        "memory": Key(
            read_memory_limit,
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
            duration_within(_SECOND_NS, _HOUR_NS),
            10 * _SECOND_NS,
            "nothing that is sent to another host is acknowledged for so long: its connection is lost",
        ),
        "answer": Key(
            duration_or_none(_SECOND_NS, _DAY_NS),
            300 * _SECOND_NS,
            "a statement of the load is without any byte of an answer for so long: its connection is lost; "
            '"none": never',
        ),
        "check": Key(
            duration_within(_SECOND_NS, _DAY_NS),
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
        "engine": Key(read_text, ..., "FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]"),
        "name": Key(read_text, "", "shown everywhere; the engine's name when absent"),
        "throttled_share": Key(
            read_share_below_one,
            0.0,
            "share of the time for which its process is stopped, a few milliseconds every 50: is that found?",
        ),
        "flush_delay": Key(
            read_pause_or_zero, 0, "each flush (fsync, fdatasync) of its process takes this much longer: is that found?"
        ),
        "read_delay": Key(read_pause_or_zero, 0, "each read (pread) of its process takes this much longer"),
        "sha256": Key(read_sha256, "", "of the file that the engine is unpacked from; another file is refused"),
        "plugin": Key(read_text, "", "file that holds the storage engine, where the server has it not"),
        "plugin_version": Key(
            read_version, "", "version of that plug-in, on which its options depend; absent: as its file says"
        ),
        "plugin_maturity": Key(
            read_text, "", "least ripe plug-in that the server is to load, such as experimental; MariaDB"
        ),
        "options_file": Key(read_text, "", "with policy tuned: option file of the server, beside the study file"),
        "options_sha256": Key(read_sha256, "", "of that file; another one is refused"),
    }
)
AUDIT: Mapping[str, Key] = MappingProxyType(
    {
        "stop_at": Key(
            one_of("never", "critical", "high"),
            "never",
            "findings of this weight, or graver, stop the study before its first run, with exit code 1",
        ),
    }
)
CONTAINER: Mapping[str, Key] = MappingProxyType(
    {
        "network": Key(
            one_of("host", "bridge"), "host", "the host's, or an address of its own that the loopback route goes to"
        ),
        "memory": Key(
            read_memory, None, "limit of the server with the page cache it fills, without swap; absent: none"
        ),
    }
)
HOST: Mapping[str, Key] = MappingProxyType(
    {
        "ssh": Key(read_text, "", "as ssh takes it, such as bench@db1; absent: the name"),
        "address": Key(read_ip_address, None, "of its interface that the route `network` goes to"),
        "home": Key(read_absolute_path, "", "folder for engines, snapshots and runs; absent: ~/.cache/dbdyno there"),
        "ports": Key(
            read_ports, None, 'of servers on the route `network`, such as "20000-20099"; absent: any free one'
        ),
        "sudo": Key(list_of(read_text), (), "refused for now"),
    }
)
BENCH: Mapping[str, Key] = MappingProxyType(
    {
        "server": Key(read_text, ..., "name of the host that servers run on"),
        "client": Key(list_of(read_text), (), "refused for now: clients of the route `network` run on this machine"),
    }
)
SERVER: Mapping[str, Key] = MappingProxyType(
    {
        "socket": Key(read_text, None, "path of its socket"),
        "host": Key(read_text, None, "its address"),
        "port": Key(whole_within(1, 65_535), None, "its port"),
        "user": Key(read_text, ..., "account for the load"),
        "password_file": Key(read_text, None, "file that holds the password, readable by its owner only"),
        "password_env": Key(read_text, None, "environment variable that holds the password"),
        "tls": Key(
            one_of("off", "preferred", "required", "verify-ca", "verify-identity"),
            "preferred",
            "encryption of all connections: never; over TCP if offered; always; and the certificate signed by tls_ca; "
            "and naming the host",
        ),
        "tls_ca": Key(read_text, None, "PEM file of the authority, with verify-ca and verify-identity"),
    }
)
