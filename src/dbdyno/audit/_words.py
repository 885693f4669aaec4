"""Describes findings in words and as plain data: effective quantity, unit, value of each target."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.audit._evaluate import Audit, Decision, Finding
from dbdyno.audit._normalise import parse_number
from dbdyno.audit.quantities import UNITS
from dbdyno.core import counted, format_bytes
from dbdyno.engines import neutral_parameters

_FACTS = {
    "base_image": "made for",
    "client_cpu_share": "share of the processors taken by the client",
    "idle_share": "idle share of the processors",
    "rss_bytes": "resident memory of the process",
}
_DERIVED = {"commit_class": "durability of commits", "encryption": "connections of the load"}
_SPOKEN_CLASSES = {
    "sync-each-commit": "flushed at each commit",
    "write-each-commit": "written at each commit, synced later",
    "sync-never": "never synced",
}
_CHARSET_RE = re.compile(r"\b(?:UTF8|UTF16|UTF32|UCS2|LATIN\d|ASCII|CP\d{3}|GBK|GB\d+|BIG5|KOI8|SJIS|UJIS|EUC)\w*")
_SPOKEN_UNITS = {"percent": " %", "microseconds": " µs", "seconds": " s", "pages/s": " pages/s", "pages": " pages"}


@dataclass(frozen=True, slots=True)
class SpokenValue:
    """Holds a value as people read it.

    Parameters
    ----------
    words : with its unit; of many bytes rounded
    size_bytes : the value where `words` rounds it
    """

    words: str
    size_bytes: int | None = None

    @property
    def exact_words(self) -> str:
        """Return it with its count of bytes, where it is an amount of them.

        >>> SpokenValue("2 GiB", 2147483648).exact_words, SpokenValue("ON").exact_words
        ('2 GiB (2147483648)', 'ON')
        """
        return self.words if self.size_bytes is None else f"{self.words} ({self.size_bytes})"


ValueGroup = tuple[SpokenValue, tuple[str, ...]]
"""A value, and the targets that have it."""


def what(finding: Finding) -> str:
    """Return what differs, in one line.

    Each value stands with its unit and the number of targets that have it.
    """
    subject_words = [f"{subject}: {_groups_words(finding, groups)}" for subject, groups in spoken_values(finding)]
    return f"{finding.rule.title}: {'; '.join(words.removeprefix(': ') for words in subject_words)}"


def _groups_words(finding: Finding, groups: Sequence[ValueGroup]) -> str:
    is_told_apart = len({value.words for value, _ in groups}) == len(groups)
    values = [value.words if is_told_apart else value.exact_words for value, _ in groups]
    return ", ".join(
        f"{value} ({_targets_words(finding, names)})" for value, (_, names) in zip(values, groups, strict=True)
    )


def _targets_words(finding: Finding, names: tuple[str, ...]) -> str:
    if finding.between:
        return "; ".join(names)
    return names[0] if len(names) == 1 else counted(len(names), "target")


def spoken_values(finding: Finding) -> list[tuple[str, list[ValueGroup]]]:
    """Return each input's title with its values, in units for people, and the targets that have them.

    The title is empty where the rule's own says it all; rules about options have the target for a title.
    """
    values = finding.values
    is_nested = all(isinstance(value, Mapping) for value in values.values())
    if is_nested:
        titles = {name: title_of(name) for name in values}
        return [
            ("" if titles[name] == finding.rule.title else titles[name], _value_groups(name, groups))
            for name, groups in values.items()
        ]
    if set(values) <= set(finding.targets):
        return [("", [(SpokenValue(", ".join(options)), (target,)) for target, options in values.items()])]
    return [("", _value_groups(_single_input_words(finding), values))]


def _single_input_words(finding: Finding) -> str:
    inputs = finding.rule.inputs
    return inputs[0] if len(inputs) == 1 or unit_of(inputs[0]) or inputs[0] in neutral_parameters() else ""


def _value_groups(name: str, groups: Mapping[str, Any]) -> list[ValueGroup]:
    unit = unit_of(name)
    return [(spoken_value(value, unit), tuple(targets)) for value, targets in groups.items()]


def title_of(name: str) -> str:
    """Return an input in words.

    >>> title_of("derived:redo_capacity"), title_of("flush.dirty_max"), title_of("variables:binlog_row_metadata")
    ('redo capacity', 'Dirty page ceiling', 'binlog_row_metadata')
    """
    group, _, input_name = name.partition(":")
    if group == "derived":
        return _DERIVED.get(input_name, input_name.replace("_", " "))
    parameter = neutral_parameters().get(name)
    return parameter.title if parameter else _FACTS.get(input_name, input_name) or name


def unit_of(name: str) -> str:
    """Return the unit of an input; empty for words and plain counts.

    >>> unit_of("schema:data_bytes"), unit_of("schema:row_count")
    ('bytes', '')
    """
    group, _, input_name = name.partition(":")
    if group == "derived":
        return UNITS.get(input_name, "")
    if group in ("host", "schema") and input_name.endswith("_bytes"):
        return "bytes"
    parameter = neutral_parameters().get(name)
    return parameter.unit if parameter else ""


def spoken_value(value: str, unit: str) -> SpokenValue:
    """Return a value as people read it.

    >>> spoken_value("2147483648", "bytes")
    SpokenValue(words='2 GiB', size_bytes=2147483648)
    >>> spoken_value("75", "percent").words, spoken_value("", "bool").words
    ('75 %', 'none')
    >>> spoken_value("UTF8MB4_0900_AI_CI+LATIN1_BIN", "").words, spoken_value("FULL_CRC32", "").words
    ('utf8mb4_0900_ai_ci+latin1_bin', 'FULL_CRC32')
    """
    amount = parse_number(value)
    if amount is None:
        return SpokenValue(_as_vendors_write(commit_class_words(value)) or "none")
    if unit == "bytes" and amount >= 1024:
        return SpokenValue(format_bytes(int(amount)), int(amount))
    return SpokenValue(value + _SPOKEN_UNITS.get(unit, ""))


def _as_vendors_write(words: str) -> str:
    """Return words with character sets and collations in lower case; rules compare them without regard to case."""
    return _CHARSET_RE.sub(lambda match: match[0].lower(), words)


def commit_class_words(value: str) -> str:
    """Return what a commit of a class survives; any other value as it is.

    >>> commit_class_words("sync-periodic(1 s)"), commit_class_words("ON")
    ('synced every 1 s', 'ON')
    """
    name, _, interval = value.partition("(")
    return f"synced every {interval.rstrip(')')}" if name == "sync-periodic" else _SPOKEN_CLASSES.get(value, value)


def finding_data(finding: Finding) -> dict[str, Any]:
    """Return a finding for programs."""
    rule = finding.rule
    data: dict[str, Any] = {
        "id": rule.rule_id,
        "outcome": "finding",
        "severity": finding.severity,
        "category": rule.category,
        "campaign": finding.campaign,
        "tiers": list(finding.tiers),
        "targets": list(finding.targets),
        "values": _plain_object(finding.values),
        "certainty": finding.certainty,
        "between_campaigns": finding.between,
        "what": what(finding),
        "favours": finding.favours,
        "reason": rule.reason,
        "remedy": finding.remedy,
        "source": rule.source,
    }
    if finding.varied_by:
        data["varied_by"] = list(finding.varied_by)
    if finding.remark:
        data["remark"] = finding.remark
    if finding.lacks:
        data["undecided_for"] = dict(finding.lacks)
    if finding.not_offered:
        data["not_offered"] = _plain_object(finding.not_offered)
    return data


def decision_data(decision: Decision) -> dict[str, Any]:
    """Return a rule without a finding, for programs."""
    return {
        "id": decision.rule.rule_id,
        "outcome": decision.outcome,
        "severity": decision.rule.severity,
        "category": decision.rule.category,
        "campaign": decision.campaign,
        "tiers": list(decision.tiers),
        "missing": missing_words(decision),
        "remark": decision.remark,
    }


def missing_words(decision: Decision) -> str:
    """Return the evidence an undecided rule lacks, and for which targets when not for all.

    >>> from dbdyno.audit._rules import rules
    >>> missing_words(Decision(rules()[0], "", "undecided", (), {"a": "option file", "b": "option file"}, ""))
    'option file (a, b)'
    """
    by_evidence: dict[str, list[str]] = {}
    for target, evidence in decision.lacks.items():
        by_evidence.setdefault(evidence, []).append(target)
    return "; ".join(
        evidence if names == [""] else f"{evidence} ({', '.join(sorted(names))})"
        for evidence, names in by_evidence.items()
    )


def all_data(result: Audit) -> list[dict[str, Any]]:
    """Return every outcome for programs, findings first."""
    return [finding_data(f) for f in result.findings] + [decision_data(d) for d in result.decisions]


def _plain_object(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _plain_object(value) if isinstance(value, Mapping) else list(value) for key, value in values.items()}
