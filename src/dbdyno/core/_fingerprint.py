"""Compares what servers made of the same events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Two servers that were filled alike and answer alike have equal ones.

    Parameters
    ----------
    events, failed : that ended well; that were given up
    statements_sha256 : of the statements sent, many of which are made from answers; empty where none were
    content_sha256 : of the sums of all tables afterwards
    tables : table -> name of a sum -> the sum
    """

    events: int
    failed: int
    statements_sha256: str
    content_sha256: str
    tables: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class ResultComparison:
    """Describes whether targets made the same of the same events of a workload.

    Parameters
    ----------
    targets_count : of those whose results are known
    unlike : target -> what is different there from most others, in words
    unknown : target -> why its results are not known
    """

    workload: str
    events_count: int
    targets_count: int
    unlike: Mapping[str, str]
    unknown: Mapping[str, str]


def compare_results(workload: str, fingerprints: Mapping[str, Fingerprint | str]) -> ResultComparison:
    """Compare what each target made of the events; a text says why that is not known.

    >>> compare_results("tpcc", {"a": Fingerprint(5, 0, "", "x", {}), "b": "the server died"}).unknown
    {'b': 'the server died'}
    """
    known = {target: outcome for target, outcome in fingerprints.items() if isinstance(outcome, Fingerprint)}
    unknown = {target: outcome for target, outcome in fingerprints.items() if isinstance(outcome, str)}
    events_count = max((outcome.events + outcome.failed for outcome in known.values()), default=0)
    return ResultComparison(workload, events_count, len(known), unlike_most(known), unknown)


def unlike_most(fingerprints: Mapping[str, Fingerprint]) -> dict[str, str]:
    """Targets whose fingerprint is not that of most, with what is different in words; the first wins a tie.

    >>> one = Fingerprint(5, 0, "ab", "cd", {"t": {"rows": 3}})
    >>> other = Fingerprint(5, 0, "ab", "ef", {"t": {"rows": 4}})
    >>> unlike_most({"a": one, "b": other, "c": one})
    {'b': 'different rows in t'}
    """
    counts = Counter(_key(fingerprint) for fingerprint in fingerprints.values())
    usual = max(fingerprints.values(), key=lambda fingerprint: counts[_key(fingerprint)], default=None)
    if usual is None:
        return {}
    return {name: _difference(own, usual) for name, own in fingerprints.items() if _key(own) != _key(usual)}


def _key(fingerprint: Fingerprint) -> tuple[int, int, str, str]:
    own = fingerprint
    return own.events, own.failed, own.statements_sha256, own.content_sha256


def _difference(own: Fingerprint, usual: Fingerprint) -> str:
    words = []
    if (own.events, own.failed) != (usual.events, usual.failed):
        words.append(f"{own.failed} of {own.events + own.failed} events failed, but {usual.failed} elsewhere")
    if own.statements_sha256 != usual.statements_sha256:
        words.append("different statements, built from different answers")
    tables = [name for name in usual.tables if own.tables.get(name) != usual.tables[name]]
    if tables:
        words.append(f"different rows in {', '.join(tables)}")
    return "; ".join(words)
