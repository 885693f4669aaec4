"""Targets in few words: a version, and what is not the default of the test."""

from __future__ import annotations

from typing import Any

from dbdyno.audit import Audit, ComparisonSet, Finding, TargetFacts, audit
from dbdyno.audit._evaluate import evaluate_rule
from dbdyno.audit._rules import Rule, rules
from dbdyno.audit._target import AuditTarget, recognise
from dbdyno.audit._verdict import RuleVerdict

MARIADB_11_8 = "11.8.6-MariaDB"
MARIADB_10_11 = "10.11.16-MariaDB"
MYSQL_8_0 = "8.0.45"
MYSQL_8_4 = "8.4.8"
MYSQL_5_7 = "5.7.44"
LOADED = {"uptime": "900", "handler_commit": "100", "questions": "5000", "connections": "64"}


def facts(name: str, version: str = MYSQL_8_4, *, more: dict[str, Any] | None = None, **variables: str) -> TargetFacts:
    """A target that was read; `more` are other fields of TargetFacts."""
    comment = "MySQL Community Server - GPL" if "MariaDB" not in version else "mariadb.org binary distribution"
    return TargetFacts(name, variables={"version": version, "version_comment": comment, **variables}, **(more or {}))


def asked(name: str, version: str, **options: str) -> TargetFacts:
    """A target of which only the option file is known."""
    return TargetFacts(name, option_file=options, version=version)


def target(version: str = MYSQL_8_4, *, more: dict[str, Any] | None = None, **variables: str) -> AuditTarget:
    return recognise(facts("a", version, more=more, **variables))


def rule(rule_id: str) -> Rule:
    return next(rule for rule in rules() if rule.rule_id == rule_id)


def verdict(rule_id: str, *targets: TargetFacts, **shared: Any) -> RuleVerdict:
    comparison = ComparisonSet(targets, **shared)
    return evaluate_rule(rule(rule_id), comparison, tuple(recognise(t) for t in targets))


def found(result: Audit, rule_id: str) -> list[Finding]:
    return [finding for finding in result.findings if finding.rule.rule_id == rule_id]


def audited(*targets: TargetFacts, **shared: Any) -> Audit:
    return audit([ComparisonSet(targets, **shared)])


def outcome(rule_id: str, *targets: TargetFacts, **shared: Any) -> str:
    return verdict(rule_id, *targets, **shared).outcome


def with_facts(name: str, version: str = MYSQL_8_4, /, **groups: Any) -> TargetFacts:
    """A target with other fields of TargetFacts, and no variables beside its version."""
    return facts(name, version, more=groups)
