"""Says for each limitation what would remove it, as rows of data; a test requires a row for every limitation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from dbdyno.core import CLIENT_BOUND, Caveat

_LONGER = "A longer warm-up or window would help."

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
    }
)
"""Code of a limitation -> what would remove it, as one sentence."""

REMEDIES_OF_LOGS: Mapping[str, str] = MappingProxyType(
    {
        "results-unchecked": "Logs hold no results: run the same load as a study to compare them.",
        "runs-not-good": "Repeat these runs with their tool, and import the logs again.",
        "undecided": "More repeats in the logs narrow the intervals.",
    }
)
"""The same of results that were imported, where dbdyno has no command for it."""


def with_remedy(caveat: Caveat, *, is_imported: bool = False) -> Caveat:
    """Return the limitation with what would remove it, where its text does not say so by itself.

    >>> with_remedy(Caveat("closed-loop", "A stall is understated.")).text
    'A stall is understated. Use a fixed rate (--rate) to see it.'
    """
    remedies = {**REMEDIES, **REMEDIES_OF_LOGS} if is_imported else REMEDIES
    remedy = remedies.get(caveat.code, "")
    return replace(caveat, text=f"{caveat.text} {remedy}") if remedy and remedy not in caveat.text else caveat
