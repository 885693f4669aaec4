"""Says for each limitation what would remove it, as rows of data; a test requires a row for every limitation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from dbdyno.core import CLIENT_BOUND, Caveat

_LONGER = "A longer warm-up or window would help."
_ALIGN = "dbdyno audit --fix STUDY DIR -o FILE writes a study without those that settings remove."
_TELEMETRY = "dbdyno doctor says which readings this host allows; less other load lets them come in time."
_OWN_RUN = "Run the same load as a study, which records it: dbdyno compare."
_WHOLE_LOG = "Repeat the run with its tool until its last report, and import the log again."
_LISTED = "dbdyno audit DIR says what would remove each."
_CLOCK = "Let no program set the clock during a study, and do not suspend the host; then run it again."

REMEDIES: Mapping[str, str] = MappingProxyType(
    {
        "results-differ": "Find out why they differ, and correct the schema, the settings or the server.",
        "results-unchecked": "Set equivalence_events = 500 in [measure]: each target is then sent the same events.",
        "scaled": "Run the study without --scale.",
        "runs-not-good": "Correct the cause, then run the same command with --retry-failed.",
        "runs-missing": "The same command resumes the study. If it has parts, run the missing ones and gather again.",
        "still-running": "Look again when it has ended.",
        "imported": "Run the same load as a study: dbdyno compare.",
        "not-in-the-logs": "Add the missing logs and import them again.",
        "unsettled-windows": _LONGER,
        "late-windows": "A longer warm-up avoids this.",
        "waves": "A window of many waves makes the mean depend less on where it ends.",
        "warm-up-cap": "A higher warm_up_max may let them settle.",
        "window-cap": "A higher window_max, or a larger target_half_width, lets them reach it.",
        "server-unsettled": "A longer warm_up_max lets the state settle first.",
        "server-unread": "Let the account of dbdyno read the server's status and telemetry tables.",
        "course-differs": "A machine with less other load delivers telemetry in time.",
        "other-load": "Stop the other programs, then run the same command with --retry-disturbed.",
        "steal": "Use an instance with dedicated processors, or add --retry-disturbed at another time.",
        "sentinel-drift": "Repeat the study on a dedicated machine.",
        "repeats-apart": "A dedicated machine would narrow them; more repeats in shorter windows help, too.",
        "benches-apart": "Run a sentinel (not with --part), or all workloads and memory tiers on one bench.",
        "short-window": "Windows of 900 s or more remove this limitation.",
        "one-repeat": "Repeat each cell at least twice, or run a sentinel.",
        "few-repeats": "Three repeats or more narrow the intervals.",
        "repeats-raised": "Choose the repeats before the first run, with dbdyno plan, or let repeats_max add them.",
        "fixed-order": 'Set order = "interleaved" in [measure].',
        "shared-cores": "Pin them to different cores, or run the load generator on another machine.",
        CLIENT_BOUND: "Give the load generator more processors (--pin-client) or a separate machine.",
        "errors-retried": "The throughput contains their cost. Fewer connections or more rows lower it.",
        "errors": "The server's manual says what a code means; correct the settings or the load that cause it.",
        "undecided": (
            "Raise repeats (compare --repeats N, or in the study file) and run it again: the stored runs are kept. "
            "dbdyno plan STUDY.toml --target-half-width 2% says how many a given precision needs."
        ),
        "undecidable": "Runs that differ less would: use longer windows, or a machine without other load.",
        "closed-loop": "Use a fixed rate (--rate) to see it.",
        "results-altered": "Use a copy that nobody changed, or run the study again.",
        "host-mismatch": "Use equal machines for all parts and benches.",
        "machine-blocker": "dbdyno doctor says how to correct each; then run the study again.",
        "machine": "dbdyno doctor says how to correct each; then run the study again.",
        "audit-high": _ALIGN,
        "audit-lesser": _ALIGN,
        "audit-after-window": "Find what changes them during the load, and switch it off.",
    }
)
"""Code of a limitation -> what would remove it, as one or two sentences."""

REMEDIES_OF_RUNS: Mapping[str, str] = MappingProxyType(
    {
        "page-cache-unbounded": 'Set memory in [limits], such as "tier + 512MB".',
        "cells-not-independent": "Let dbdyno start the servers: then each run begins with restored data.",
        "shared-restore": 'Set restore = "run" in [measure].',
        "variables-changed": "Find what changes them, such as a job or the server itself, and set them in [settings].",
        "condition-undecided": "Longer [timeouts] let the check end.",
        "quirk-broke-condition": 'Set fidelity = "fixed" in [workload], which repairs these quirks.',
        "held": "Remove throttled_share, flush_delay and read_delay from the target.",
        "host-standstill": "Find what suspends the host, such as the hypervisor, and run with --retry-failed.",
        "control-lost": "Use a steadier network between this machine and the server's host.",
        "made-again": "Use a steadier network between this machine and the server's host.",
        "ending-failed": 'The server\'s log says why; after_run = "discard" in [measure] does not shut it down.',
        "clock-bound": "A network with less delay to the server's host lets its clock be read more precisely.",
        "network-changed": "Let nobody else use or change the network during a run; then run it again.",
        "shaped-rate": "Use a network that is faster than the rate of the route, or set a lower rate.",
        "missing-seconds": "Give the load generator processors that nobody else uses: client in [pinning].",
        "unfinished-search": "A longer window, or a larger precision in [pacing], lets the search end.",
        "clock-jump": _CLOCK,
        "connections-lost": "The server's log says why it closes connections; correct it, then use --retry-failed.",
        "failed-transactions": "The server's manual says what a code means; correct the settings or the load.",
        "conflicts-given-up": "More retries (retry_limit in [errors]), fewer connections or more rows lower it.",
        "client-host-bound": "Add load hosts, or give this one more processors.",
        "start-skew": "Use load hosts with less delay to this machine.",
        "load-message": "Do what the message says.",
        "one-machine": "Run the load generator on another machine.",
        "workload-ended": "Set a shorter window, or give the workload more work.",
        "ratio-off": "A longer window brings the ratio closer to that of the mix.",
        "orders-above-ceiling": "Check keying and think times in [workload].",
        "counts-disagree": "Let no other client use the server during the run.",
        "telemetry-incomplete": _TELEMETRY,
        "session-threads": _TELEMETRY,
        # of series of any tool that `dbdyno judge` reads
        "too-short": "Windows of 180 s or more are judged.",
        "dead": "The server's log says why it stopped or became slow.",
        "drifting": _LONGER,
        "not-reached": _LONGER,
        "noisy": "A longer window, or a machine without other load, narrows it.",
        "wave": "A longer run shows the level after the waves.",
        "slow-wave": "A window of five periods or more widens the interval as needed.",
        "passing-wave": "A longer run shows whether the wave stays.",
        "regular-stalls": "The server's counters at these seconds show what it waits for.",
        "coarse-seconds": "More connections or a lighter transaction give more per second.",
        "cut-interval": "Nothing needs to be done.",
        # of logs of other tools
        "tier-differs": "Name the folder or file after the server's buffer pool, and import again.",
        "same-bytes": "Import the log of this cell instead of the copy.",
        "mixed-versions": "Repeat these runs with the version of the others, and import the logs again.",
        "no-intervals": "Let the tool print intervals of one second, and import the logs again.",
        "interval-unknown": "Let the tool print intervals of one second, and import the logs again.",
        "long-intervals": "Let the tool print intervals of one second, and import the logs again.",
        "missing-intervals": "Give the tool processors that nobody else uses, and repeat the run.",
        "totals-differ": "Repeat the run with intervals over all of it, and import the log again.",
        "telemetry-offset": _OWN_RUN,
        "telemetry-left-out": "Let the tool print a reading with its time each second, and import again.",
        "whole-run-quantiles": _OWN_RUN,
        "status-undated": _OWN_RUN,
        "cut-off": _WHOLE_LOG,
        "damaged-log": _WHOLE_LOG,
        "forced-shutdown": _WHOLE_LOG,
        "counts-summed": _WHOLE_LOG,
        "duration-unknown": "Import the log with its beginning.",
        "events-counted": "A script with transactions would be counted by them.",
        "rollbacks-counted": _OWN_RUN,
        "no-percentile": _OWN_RUN,
        "no-histogram": "Let sysbench print one (--histogram=on), and import the logs again.",
        "coarse-histogram": _OWN_RUN,
        "coarse-quantiles": _OWN_RUN,
        "quantiles-contradict": _OWN_RUN,
        "percentile-of-new-orders": _OWN_RUN,
        "profile-whole-run": _OWN_RUN,
        "profile-left-out": "Import the time profile of this run alone, in the folder of its log.",
        "counter-left-out": "Import the counter's readings of this run alone, in the folder of its log.",
        "counter-offset": _OWN_RUN,
        "server-counted": _OWN_RUN,
        "pacing-unknown": _OWN_RUN,
        "rate-with-connecting": _OWN_RUN,
        "threads-vary": "Repeat the run with one number of threads, and import the log again.",
        "dropped-backlog": _OWN_RUN,
        "users-failed": "Correct the errors in the log, repeat the run and import the log again.",
        "users-may-have-stopped": "Correct the errors in the log, repeat the run and import the log again.",
    }
)
"""The same of single runs, whose limitations a study gathers, and of series that `dbdyno judge` reads."""

REMEDIES_OF_LOGS: Mapping[str, str] = MappingProxyType(
    {
        "results-unchecked": "Logs hold no results: run the same load as a study to compare them.",
        "runs-not-good": "Repeat these runs with their tool, and import the logs again.",
        "undecided": "More repeats in the logs narrow the intervals.",
        "one-repeat": "Repeat the runs with their tool, and import all logs.",
        "missing-seconds": "Repeat the run, and import its log again.",
        "failed-transactions": "Correct the errors in the log, repeat the run and import the log again.",
        "audit-high": _LISTED,
        "audit-lesser": _LISTED,
    }
)
"""The same of results that were imported, where dbdyno has no command for it."""


def with_remedy(caveat: Caveat, *, is_imported: bool = False) -> Caveat:
    """Return the limitation with what would remove it, where its text does not say so by itself.

    >>> with_remedy(Caveat("closed-loop", "A stall is understated.")).text
    'A stall is understated. Use a fixed rate (--rate) to see it.'
    >>> with_remedy(Caveat("held", "1 run: its process was stopped")).text.partition(". ")[0]
    '1 run: its process was stopped'
    """
    remedy = REMEDIES_OF_LOGS.get(caveat.code, "") if is_imported else ""
    remedy = remedy or REMEDIES.get(caveat.code) or REMEDIES_OF_RUNS.get(caveat.code, "")
    if not remedy or remedy in caveat.text:
        return caveat
    period = "" if caveat.text.endswith((".", "!", "?")) else "."
    return replace(caveat, text=f"{caveat.text}{period} {remedy}")
