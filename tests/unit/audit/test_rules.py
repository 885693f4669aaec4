"""The rules as data: complete, their own words, each with a predicate."""

from __future__ import annotations

import hashlib
import re

from dbdyno.audit import SEVERITIES, rules
from dbdyno.audit.predicates import PREDICATES
from dbdyno.audit.quantities import QUANTITIES
from dbdyno.engines import neutral_parameters
from engine_vectors import RULES

GROUPS = {"variables", "status", "option_file", "session", "schema", "host", "run", "study", "text", "parameters"}


def test_every_predicate_is_named_by_a_rule_and_every_rule_names_one() -> None:
    assert {rule.test for rule in rules()} == set(PREDICATES)


def test_every_rule_says_what_why_and_what_helps() -> None:
    for rule in rules():
        words = (rule.title, rule.condition, rule.favours, rule.reason, rule.remedy, rule.source)
        assert all(words), rule.rule_id
        assert rule.severity in SEVERITIES
        assert not rule.title.endswith(".") and rule.reason.endswith(".") and rule.remedy.endswith("."), rule.rule_id


def test_inputs_are_parameters_quantities_or_named_facts() -> None:
    counters = re.compile(r"(redo|pool|bytes|lsm)\.\w+")
    for rule in rules():
        for name in (*rule.inputs, *rule.when):
            group, colon, rest = name.partition(":")
            if group == "derived":
                assert rest in QUANTITIES, name
            elif colon:
                assert group in GROUPS, name
            else:
                assert name in neutral_parameters() or counters.fullmatch(name), name


def test_no_rule_of_the_reference_is_forgotten_or_changed() -> None:
    ours = {rule.rule_id: rule for rule in rules()}
    assert sorted(ours) == sorted(RULES["rules"])
    for rule_id, entry in RULES["rules"].items():
        rule = ours[rule_id]
        assert (rule.severity, rule.scope, set(rule.evidence)) == (
            entry["severity"], entry["scope"], set(entry["evidence"])
        ), rule_id  # fmt: skip
        assert set(rule.aliases) == set(entry.get("aliases", ()))
        assert rule.when == entry.get("when", {}) or rule.rule_id in WHEN_OF_OUR_OWN


# Conditions that the reference has in words.
WHEN_OF_OUR_OWN = {"doublewrite-batching-mismatch", "snapshot-isolation-mismatch", "binlog-disk-growth"}


def test_no_sentence_is_borrowed() -> None:
    theirs = set(RULES["sentences"])
    assert len(theirs) > 100
    for rule in rules():
        for words in (rule.reason, rule.remedy, rule.condition):
            ours = {_digest(sentence) for sentence in re.split(r"(?<=[.;:])\s", words)}
            assert not ours & theirs, rule.rule_id


def _digest(sentence: str) -> str:
    return hashlib.sha256(sentence.strip().encode()).hexdigest()[:12]
