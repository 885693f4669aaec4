"""Reads what a target guarantees: what a commit survives, how pages are guarded, whether it is encrypted."""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.audit._effective import effective
from dbdyno.audit._facts import TargetFacts
from dbdyno.audit._reading import SourcedValue
from dbdyno.audit._target import LSM_ENGINES, AuditTarget, recognise
from dbdyno.audit._words import commit_class_words
from dbdyno.audit.quantities import derived
from dbdyno.audit.quantities._transport import encryption

UNKNOWN = "unknown"
_GUARDS = {
    "full": "pages written twice",
    "fast": "pages written twice, not synced",
    "detect-only": "torn pages are detected, not repaired",
    "device-atomic": "left to the device",
    "off": "none",
}


@dataclass(frozen=True, slots=True)
class Durability:
    """In words; ``unknown`` where the evidence is missing.

    Parameters
    ----------
    durability : the class: flush per commit with or without the binary log's sync, relaxed, none
    torn_pages : the guard against half written pages
    encryption : encrypted, plain or mixed, of the load's own sessions
    """

    durability: str
    torn_pages: str
    encryption: str


def durability_of(facts: TargetFacts) -> Durability:
    """Return what a target promises, from the values in effect.

    >>> rows = {"version": "9.7.4", "innodb_flush_log_at_trx_commit": "1", "log_bin": "ON", "sync_binlog": "1"}
    >>> durability_of(TargetFacts("a", variables=rows)).durability
    'flush per commit, binary log synced'
    >>> durability_of(TargetFacts("a", variables=rows | {"innodb_flush_log_at_trx_commit": "2"})).durability
    'relaxed: written at each commit, synced later'
    """
    target = recognise(facts)
    guard = "not needed: files are written once" if target.storage_engine in LSM_ENGINES else _torn_page_words(target)
    return Durability(_durability_words(target), guard, _known_value(encryption(target)))


def _durability_words(target: AuditTarget) -> str:
    policy = _known_value(derived(target, "commit_class"))
    if policy == "sync-never":
        return "none: never synced"
    if policy == "write-each-commit" or policy.startswith("sync-periodic"):
        return f"relaxed: {commit_class_words(policy)}"
    if policy != "sync-each-commit":
        return policy
    enabled, syncs = effective(target, "binlog.enabled"), effective(target, "binlog.sync")
    if enabled.value != "ON":
        return "flush per commit, no binary log" if enabled.state == "known" else "flush per commit"
    if syncs.state != "known":
        return "flush per commit, binary log of unknown sync"
    return "flush per commit, binary log synced" if syncs.value == 1 else "flush per commit, binary log not synced"


def _torn_page_words(target: AuditTarget) -> str:
    word = _known_value(derived(target, "doublewrite"))
    return _GUARDS.get(word, word)


def _known_value(reading: SourcedValue) -> str:
    return str(reading.value) if reading.state == "known" else UNKNOWN
