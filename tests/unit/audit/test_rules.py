"""The rules as data: complete, their own words, each with a predicate."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dbdyno.audit import SEVERITIES, rules
from dbdyno.audit.predicates import PREDICATES
from dbdyno.audit.quantities import QUANTITIES
from dbdyno.engines import neutral_parameters

REFERENCE = Path(__file__).parents[4] / "shared" / "engines" / "fairness_rules.json"
needs_shared = pytest.mark.skipif(not REFERENCE.exists(), reason="the reference data is not beside this repository")
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


@needs_shared
def test_no_rule_of_the_reference_is_forgotten_or_changed() -> None:
    ours = {rule.rule_id: rule for rule in rules()}
    reference = json.loads(REFERENCE.read_text())["rules"]
    assert list(sorted(ours)) == sorted(entry["id"] for entry in reference)
    for entry in reference:
        rule = ours[entry["id"]]
        assert (rule.severity, rule.scope, set(rule.evidence)) == (
            entry["severity"], entry["scope"], set(entry["evidence"])
        ), entry["id"]  # fmt: skip
        assert set(rule.aliases) == set(entry.get("aliases", ()))
        assert rule.when == entry.get("when", {}) or rule.rule_id in WHEN_OF_OUR_OWN


# Conditions that the reference has in words.
WHEN_OF_OUR_OWN = {"doublewrite-batching-mismatch", "snapshot-isolation-mismatch", "binlog-disk-growth"}


@needs_shared
def test_no_sentence_is_borrowed() -> None:
    theirs = {
        sentence.strip()
        for entry in json.loads(REFERENCE.read_text())["rules"]
        for key in ("reason", "remedy", "condition")
        for sentence in re.split(r"(?<=[.;:])\s", entry[key])
        if len(sentence.split()) > 6
    }
    for rule in rules():
        for words in (rule.reason, rule.remedy, rule.condition):
            assert not {s.strip() for s in re.split(r"(?<=[.;:])\s", words)} & theirs, rule.rule_id
