"""Audits fairness: checks whether compared targets are alike in effect. Values in, findings out; no I/O.

The rules are rows of data (`data/rules/`), each with the name of a predicate; what a variable means in which version
comes from `engines`. `audit.dumps`, `audit.studies` and the lab collect the facts. See docs/concepts/fairness.md.

>>> from dbdyno.audit import ComparisonSet, TargetFacts, audit
>>> off = TargetFacts("a", variables={"version": "11.8.6-MariaDB", "performance_schema": "OFF"})
>>> on = TargetFacts("b", variables={"version": "8.4.8", "performance_schema": "ON"})
>>> result = audit([ComparisonSet((off, on))])
>>> next(f.values for f in result.findings if f.rule.rule_id == "performance-schema-mismatch")
{'server.performance_schema': {'OFF': ('a',), 'ON': ('b',)}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.audit._durability import UNKNOWN, Durability, durability_of
    from dbdyno.audit._effective import name_in_family
    from dbdyno.audit._evaluate import Audit, Decision, Finding, audit, is_found_among
    from dbdyno.audit._facts import ComparisonSet, TargetFacts
    from dbdyno.audit._questions import default_of, server_of, value_in_effect
    from dbdyno.audit._reading import Certainty, SourcedValue, Value
    from dbdyno.audit._rules import SEVERITIES, Rule, Severity, rules
    from dbdyno.audit._verdict import Outcome
    from dbdyno.audit._words import (
        ValueGroup,
        all_data,
        finding_data,
        missing_words,
        spoken_value,
        spoken_values,
        title_of,
        unit_of,
        what,
    )
    from dbdyno.audit.predicates import names_machine
else:
    __getattr__ = late_names(
        __name__,
        {
            "_durability": "UNKNOWN Durability durability_of",
            "_effective": "name_in_family",
            "_evaluate": "Audit Decision Finding audit is_found_among",
            "_facts": "ComparisonSet TargetFacts",
            "_questions": "default_of server_of value_in_effect",
            "_reading": "Certainty SourcedValue Value",
            "_rules": "SEVERITIES Rule Severity rules",
            "_verdict": "Outcome",
            "_words": (
                "ValueGroup all_data finding_data missing_words spoken_value spoken_values title_of unit_of what"
            ),
            "predicates": "names_machine",
        },
    )

__all__ = [
    "SEVERITIES",
    "UNKNOWN",
    "Audit",
    "Certainty",
    "ComparisonSet",
    "Decision",
    "Durability",
    "Finding",
    "Outcome",
    "Rule",
    "Severity",
    "SourcedValue",
    "TargetFacts",
    "Value",
    "ValueGroup",
    "all_data",
    "audit",
    "default_of",
    "durability_of",
    "finding_data",
    "is_found_among",
    "missing_words",
    "name_in_family",
    "names_machine",
    "rules",
    "server_of",
    "spoken_value",
    "spoken_values",
    "title_of",
    "unit_of",
    "value_in_effect",
    "what",
]
