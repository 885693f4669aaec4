"""Lists every key that a study file may hold: its table, how its value is read, and what it stands for.

One row a key; the reader, the writer and the reference page walk the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dbdyno.core import ROUTES, UNKNOWN_ROUTE
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
    read_rate,
    read_round_trip,
    read_route,
    read_sha256,
    read_share,
    read_share_below_one,
    read_slo,
    read_storage_engine,
    read_stretch,
    read_text,
    read_text_or_none,
    read_version,
    whole_within,
)


@dataclass(frozen=True, slots=True)
class Key:
    """Describes one key of a study file.

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
        "name": Key(read_text, "", "short name; default: the name of the file"),
        "question": Key(read_text, "", "the question the study answers, one line"),
        "scaled": Key(read_text, "", "name of the scale of these values; written by --scale"),
        "policy": Key(
            one_of("aligned", "vendor", "tuned"),
            "aligned",
            "how targets are configured: equal in effect; with vendor defaults; each by an `options_file`",
        ),
        "targets": Key(list_of(read_text), (), "engines as FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]"),
    }
)
AXES: Mapping[str, Key] = MappingProxyType(
    {
        "tier": Key(list_of(read_memory), ..., "memory budgets of the server, such as 64MB"),
        "concurrency": Key(list_of(whole_within(1, 100_000)), ..., "connections with one transaction in flight each"),
        "route": Key(
            list_of(read_route),
            ("socket",),
            "how the client reaches the server: socket, loopback, network (from this machine to the host of [bench]), "
            "or the name of a [routes.NAME]",
        ),
        "storage_engine": Key(list_of(read_storage_engine), (), "run each target with each of these values"),
    }
)
IMPORTED: Mapping[str, Key] = MappingProxyType(
    {
        "tool": Key(read_text, ..., "tool that wrote the logs"),
        "origin": Key(read_text, ..., "folder of the logs"),
    }
)
"""Of a study that ``dbdyno import`` wrote. It is reported and never run, so its axes may say that they don't know."""
IMPORTED_AXES: Mapping[str, Key] = MappingProxyType(
    {
        **AXES,
        "tier": Key(list_of(read_memory_or_unknown), ..., 'memory budgets, or "unknown"'),
        "route": Key(list_of(one_of(*ROUTES, UNKNOWN_ROUTE)), ..., "how the client reached the server"),
    }
)
MEASURE: Mapping[str, Key] = MappingProxyType(
    {
        "warm_up": Key(
            or_auto(duration_from(0)),
            30 * 10**9,
            'time under load before the window; "auto": until throughput and server have settled',
        ),
        "warm_up_max": Key(duration_from(150 * 10**9), 1800 * 10**9, "longest adaptive warm-up"),
        "window": Key(
            or_auto(duration_from(2 * 10**9)), 300 * 10**9, 'measured time; "auto": until the mean is precise enough'
        ),
        "window_min": Key(duration_from(60 * 10**9), 180 * 10**9, 'with window = "auto": shortest adaptive window'),
        "window_max": Key(duration_from(60 * 10**9), 900 * 10**9, "longest adaptive window"),
        "target_half_width": Key(
            read_share, 0.02, 'with window = "auto": ends it when the half-width of its mean is at most this share'
        ),
        "gates": Key(one_of("on", "off"), "on", 'with "auto": whether the server\'s internal state must settle, too'),
        "settle": Key(duration_from(0), 0, "idle pause before each run"),
        "restore": Key(
            one_of("run", "ladder"),
            "run",
            'when data are restored and the server starts: before each run; "ladder": once for all '
            "concurrencies of a target, with a caveat",
        ),
        "step_warm_up": Key(
            duration_from(0), 60 * 10**9, 'with restore = "ladder": warm-up of each concurrency after the first'
        ),
        "repeats": Key(whole_within(1, 50), 2, "runs of each cell"),
        "repeats_max": Key(
            whole_within(3, 50),
            None,
            "most runs of a cell: further repeats run only until its mean is precise enough",
        ),
        "level_target_half_width": Key(
            read_share,
            0.03,
            "with repeats_max: repeat a cell until the half-width of its 95 % interval is at most this share",
        ),
        "seed": Key(whole_within(0), 1, "seed of the order, the rows and the load"),
        "order": Key(one_of("interleaved", "as-written"), "interleaved", "order of the runs; as-written adds a caveat"),
        "sentinel": Key(
            read_text_or_none,
            "",
            "target that runs first, in the middle and last in every round, to detect machine drift",
        ),
        "protocol": Key(one_of("prepared", "text"), "prepared", "how statements are sent"),
        "rng": Key(one_of("sysbench", "dbdyno"), "sysbench", "which random number generator to use"),
        "equivalence_events": Key(
            whole_within(0),
            500,
            "events sent to each target before the runs to compare results; 0: none, with a caveat",
        ),
        "after_run": Key(
            one_of("discard", "stop", "recover"),
            "discard",
            "what to do with a server after its run: kill it; shut it down cleanly, timed; or kill it, start it again "
            "on the same data and shut it down, all timed",
        ),
    }
)
_NOT_TOLD = "logs don't contain it"
IMPORTED_MEASURE: Mapping[str, Key] = MappingProxyType(
    {
        **MEASURE,
        "window": Key(duration_from(0), 0, "most common length of a run"),
        "repeats": Key(whole_within(1), 1, "most runs of one cell"),
        "warm_up": Key(duration_from(0), 0, _NOT_TOLD),
        "settle": Key(duration_from(0), 0, _NOT_TOLD),
        "seed": Key(whole_within(0), 0, _NOT_TOLD),
        "order": Key(one_of("interleaved", "as-written", "unknown"), "unknown", _NOT_TOLD),
        "protocol": Key(one_of("prepared", "text", "unknown"), "unknown", _NOT_TOLD),
        "rng": Key(one_of("sysbench", "dbdyno", "unknown"), "unknown", _NOT_TOLD),
        "equivalence_events": Key(whole_within(0), 0, "imports send no events"),
    }
)
"""Of a study that ``dbdyno import`` wrote: what its logs say. Older versions wrote the other keys as well."""
PACING: Mapping[str, Key] = MappingProxyType(
    {
        "rate_per_s": Key(
            read_positive, None, "transactions due per second over all connections; default: closed loop"
        ),
        "arrivals": Key(one_of("poisson", "constant"), "poisson", "distribution of the gaps between due times"),
        "think": Key(read_pause, None, "closed loop: mean pause of a connection after each transaction, such as 100ms"),
        "think_distribution": Key(one_of("exponential", "constant"), "exponential", "distribution of the pauses"),
        "rates": Key(
            list_of(read_stretch, may_repeat=True),
            (),
            'a rate that varies, from the start of the warm-up: "500/s for 30s", "500/s to 2000/s over 60s"; '
            "the last segment continues",
        ),
        "slo": Key(read_slo, None, 'search for the highest rate that meets this objective, such as "p99 < 20ms"'),
        "first_rate": Key(read_positive, None, "first rate of the search, per second; also the rate of the warm-up"),
        "precision": Key(
            read_share,
            0.05,
            "relative step between the highest rate that passed and the lowest that failed, at which the search ends",
        ),
        "probe_settle": Key(duration_from(0), 2 * 10**9, "time at each rate before its `window`"),
    }
)
ERRORS: Mapping[str, Key] = MappingProxyType(
    {
        "draws": Key(
            one_of("new", "same"),
            None,
            "values of a retried transaction: new or the same; default: as in the imitated tool (sysbench: new)",
        ),
        "retry_limit": Key(
            whole_within(0),
            None,
            "retries before a transaction counts as failed; default: as in the imitated tool (sysbench: until "
            "it succeeds)",
        ),
        "also": Key(
            read_error_codes,
            (),
            "further errors after which a transaction is retried: a code, or code/number if the message contains "
            "a storage engine's error number, as in [1296, "
            '"1180/149"]; dbdyno knows those of its storage engines',
        ),
        "pause": Key(read_pause, 0, "longest random wait before the third attempt; doubles each time, up to 64 times"),
        "prepared_full": Key(
            one_of("text", "stop"),
            "stop",
            "when max_prepared_stmt_count is reached: send the other statements as text, or stop",
        ),
    }
)
LIMITS: Mapping[str, Key] = MappingProxyType(
    {
        "memory": Key(
            read_memory_limit,
            None,
            "memory limit of each server that dbdyno starts, page cache included, by a control group without swap: "
            '"3GB", "tier + 512MB", "tier * 1.5"',
        ),
        "connections": Key(
            whole_within(1, 100_000),
            None,
            "connections that the settings of each server are chosen for (max_connections and caches that depend on "
            "it); by default the largest concurrency",
        ),
    }
)
_SECOND_NS, _HOUR_NS, _DAY_NS = 10**9, 3600 * 10**9, 86_400 * 10**9
TIMEOUTS: Mapping[str, Key] = MappingProxyType(
    {
        "path": Key(
            duration_within(_SECOND_NS, _HOUR_NS),
            10 * _SECOND_NS,
            "a connection to another host counts as lost after this time without acknowledgement",
        ),
        "answer": Key(
            duration_or_none(_SECOND_NS, _DAY_NS),
            300 * _SECOND_NS,
            'a connection of the load counts as lost after this time without a byte of an answer; "none": never',
        ),
        "check": Key(
            duration_within(_SECOND_NS, _DAY_NS),
            None,
            "time limit of a query that reads whole tables; default: 1h for checksums of a filled table, 10min "
            "for a condition between tables, which then stays undecided",
        ),
    }
)
PINNING: Mapping[str, Key] = MappingProxyType(
    {
        "server": Key(parse_processors, None, "processors for the server"),
        "client": Key(parse_processors, None, "processors for the load generator"),
    }
)
TARGET: Mapping[str, Key] = MappingProxyType(
    {
        "engine": Key(read_text, ..., "FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]"),
        "name": Key(read_text, "", "name shown everywhere; default: the engine's name"),
        "throttled_share": Key(
            read_share_below_one,
            0.0,
            "slow it down on purpose: stop its process for this share of the time, a few milliseconds in every 50",
        ),
        "flush_delay": Key(
            read_pause_or_zero, 0, "slow it down on purpose: each flush (fsync, fdatasync) takes this much longer"
        ),
        "read_delay": Key(read_pause_or_zero, 0, "slow it down on purpose: each read (pread) takes this much longer"),
        "sha256": Key(
            read_sha256, "", "SHA-256 of the file that the engine is unpacked from; any other file is refused"
        ),
        "plugin": Key(read_text, "", "file with the storage engine, if the server does not include it"),
        "plugin_version": Key(
            read_version, "", "version of that plug-in, on which its options depend; default: read from its file"
        ),
        "plugin_maturity": Key(
            read_text, "", "lowest plug-in maturity that the server loads, such as experimental; MariaDB only"
        ),
        "options_file": Key(read_text, "", "with policy tuned: option file of the server, next to the study file"),
        "options_sha256": Key(read_sha256, "", "SHA-256 of that file; any other file is refused"),
    }
)
AUDIT: Mapping[str, Key] = MappingProxyType(
    {
        "stop_at": Key(
            one_of("never", "critical", "high"),
            "never",
            "findings of this or a higher severity stop the study before its first run, with exit code 1",
        ),
    }
)
CONTAINER: Mapping[str, Key] = MappingProxyType(
    {
        "network": Key(
            one_of("host", "bridge"), "host", "the host's network, or a separate address for the loopback route"
        ),
        "memory": Key(
            read_memory, None, "memory limit of the server including its page cache, without swap; default: none"
        ),
    }
)
HOST: Mapping[str, Key] = MappingProxyType(
    {
        "ssh": Key(read_text, "", "destination for ssh, such as bench@db1; default: the name"),
        "address": Key(read_ip_address, None, "IP address of its interface for the route `network` and shaped ones"),
        "home": Key(read_absolute_path, "", "folder for engines, snapshots and runs; default: ~/.cache/dbdyno there"),
        "ports": Key(
            read_ports, None, 'ports of servers on the route `network`, such as "20000-20099"; default: any free one'
        ),
        "sudo": Key(
            list_of(one_of("shape")),
            (),
            "what dbdyno may use `sudo -n` for there; shape: to run `tc` for [routes.NAME]",
        ),
    }
)
BENCH: Mapping[str, Key] = MappingProxyType(
    {
        "server": Key(read_text, "", "name of the host that servers run on; default: this machine"),
        "client": Key(
            list_of(read_text),
            (),
            "names of the hosts that drive the load of the route `network`, as one client; default: this machine",
        ),
    }
)
ROUTE: Mapping[str, Key] = MappingProxyType(
    {
        "rtt": Key(read_round_trip, 0, 'added to each round trip, such as "10ms"; needs netem in the kernel'),
        "rate": Key(read_rate, None, 'most that a server sends to its clients, such as "1Gbit"'),
    }
)
FLEET: Mapping[str, Key] = MappingProxyType(
    {
        "engine": Key(
            one_of("processes", "ray"), "processes", "what drives several benches: processes of this machine, or ray"
        ),
        "address": Key(read_text, "auto", "ray: address of the cluster"),
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
            "encryption of all connections: never; over TCP if offered; always; always, with a certificate "
            "signed by tls_ca; the same, and the certificate names the host",
        ),
        "tls_ca": Key(read_text, None, "PEM file of the certificate authority, with verify-ca and verify-identity"),
    }
)
