"""Compares what servers made of the same events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Describes a server's data and answers: two servers that were filled alike and answer alike have equal ones.

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
    fingerprints_by_target = {
        target: outcome for target, outcome in fingerprints.items() if isinstance(outcome, Fingerprint)
    }
    reasons_by_target = {target: outcome for target, outcome in fingerprints.items() if isinstance(outcome, str)}
    events_count = max((outcome.events + outcome.failed for outcome in fingerprints_by_target.values()), default=0)
    return ResultComparison(
        workload, events_count, len(fingerprints_by_target), unlike_most(fingerprints_by_target), reasons_by_target
    )


def unlike_most(fingerprints: Mapping[str, Fingerprint]) -> dict[str, str]:
    """Return targets whose fingerprint is not that of most, with what is different in words; the first wins a tie.

    >>> one = Fingerprint(5, 0, "ab", "cd", {"t": {"rows": 3}})
    >>> other = Fingerprint(5, 0, "ab", "ef", {"t": {"rows": 4}})
    >>> unlike_most({"a": one, "b": other, "c": one})
    {'b': 'different rows in t'}
    """
    counts = Counter(_comparison_key(fingerprint) for fingerprint in fingerprints.values())
    majority = max(fingerprints.values(), key=lambda fingerprint: counts[_comparison_key(fingerprint)], default=None)
    if majority is None:
        return {}
    return {
        name: _difference_words(fingerprint, majority)
        for name, fingerprint in fingerprints.items()
        if _comparison_key(fingerprint) != _comparison_key(majority)
    }


def _comparison_key(fingerprint: Fingerprint) -> tuple[int, int, str, str]:
    own = fingerprint
    return own.events, own.failed, own.statements_sha256, own.content_sha256


def _difference_words(fingerprint: Fingerprint, majority: Fingerprint) -> str:
    words = []
    if (fingerprint.events, fingerprint.failed) != (majority.events, majority.failed):
        words.append(
            f"{fingerprint.failed} of {fingerprint.events + fingerprint.failed} events failed, "
            f"but {majority.failed} elsewhere"
        )
    if fingerprint.statements_sha256 != majority.statements_sha256:
        words.append("different statements, built from different answers")
    tables = [name for name in majority.tables if fingerprint.tables.get(name) != majority.tables[name]]
    if tables:
        words.append(f"different rows in {', '.join(tables)}")
    return "; ".join(words)
