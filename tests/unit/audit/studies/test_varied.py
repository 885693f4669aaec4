"""What a study varies to see its effect is a question, and no unfairness; what differs besides stays one."""

from __future__ import annotations

from typing import Any

import pytest

from audit_cases import MARIADB_11_8, facts
from dbdyno.audit import ComparisonSet, Finding, TargetFacts
from dbdyno.audit.studies import align_study, audit_study
from dbdyno.study import Study, parse_study
from stored_study import TWO

MYSQL = "9.7.4"
FLUSH = "innodb_flush_log_at_trx_commit"
RULE = "commit-policy-mismatch"


def study_of(text: str = TWO, **targets: str) -> Study:
    """Return a study of targets by name: engine, then what its table says."""
    tables = [
        f'[[target]]\nname = "{name}"\nengine = "{words.partition("|")[0]}"\n{words.partition("|")[2]}\n'
        for name, words in targets.items()
    ]
    return parse_study(text.replace('targets = ["mariadb:11.8", "mysql:9.7"]', "".join(tables)), "study.toml")


def found(study: Study, *targets: TargetFacts, rule: str = RULE) -> Finding:
    sets = [ComparisonSet(targets, tier="64 MiB")]
    return next(finding for finding in audit_study(study, sets).findings if finding.rule.rule_id == rule)


def commits(full: str, relaxed: str) -> tuple[TargetFacts, TargetFacts]:
    return facts(full, MYSQL, **{FLUSH: "1"}), facts(relaxed, MYSQL, **{FLUSH: "2"})


FULL = 'mysql:9.7|settings = {"commit.durability" = "full"}'
RELAXED = 'mysql:9.7|settings = {"commit.durability" = "relaxed"}'


@pytest.mark.parametrize("relaxed", [RELAXED, f'mysql:9.7|options = {{{FLUSH} = "2"}}'])
def test_a_setting_of_which_one_engine_has_several_values_is_asked_about(relaxed: str) -> None:
    study = study_of(a="mysql:9.7", b=relaxed)
    finding = found(study, *commits("a", "b"))
    assert (finding.severity, finding.varied_by) == ("info", ("commit.durability",))
    sets = [ComparisonSet(commits("a", "b"), tier="64 MiB")]
    aligned = align_study(study, sets)
    assert aligned.study.targets == study.targets
    assert RULE not in [outcome.finding.rule.rule_id for outcome in aligned.outcomes]


def test_two_engines_with_a_value_each_are_unequal() -> None:
    study = study_of(a=FULL, b=RELAXED.replace("mysql:9.7", "mariadb:11.8"))
    finding = found(study, facts("a", MYSQL, **{FLUSH: "1"}), facts("b", MARIADB_11_8, **{FLUSH: "2"}))
    assert (finding.severity, finding.varied_by) == ("critical", ())


def test_another_setting_that_differs_is_not_asked_about() -> None:
    study = study_of(a=FULL, b=RELAXED)
    on = facts("a", MYSQL, **{FLUSH: "1", "innodb_doublewrite": "ON"})
    off = facts("b", MYSQL, **{FLUSH: "2", "innodb_doublewrite": "OFF"})
    finding = found(study, on, off, rule="doublewrite-mismatch")
    assert (finding.severity, finding.varied_by) == (finding.rule.severity, ())
    assert found(study, on, off).varied_by


@pytest.mark.parametrize(("others", "is_asked"), [(("1", "2"), True), (("1", "0"), False)])
def test_engines_at_one_value_must_be_alike(others: tuple[str, str], is_asked: bool) -> None:
    """Of each of two engines full and relaxed: where the relaxed ones differ, the study does not ask about that."""
    maria_full, maria_relaxed = (words.replace("mysql:9.7", "mariadb:11.8") for words in (FULL, RELAXED))
    study = study_of(a=FULL, b=RELAXED, c=maria_full, d=maria_relaxed)
    maria = (facts(name, MARIADB_11_8, **{FLUSH: value}) for name, value in zip("cd", others, strict=True))
    assert bool(found(study, *commits("a", "b"), *maria).varied_by) == is_asked


@pytest.mark.parametrize(("value", "is_asked"), [("1", True), ("2", True), ("0", False)])
def test_an_engine_in_one_variant_must_be_like_the_others_at_one_value(value: str, is_asked: bool) -> None:
    study = study_of(a=FULL, b=RELAXED, c="mariadb:11.8")
    finding = found(study, *commits("a", "b"), facts("c", MARIADB_11_8, **{FLUSH: value}))
    assert bool(finding.varied_by) == is_asked


def test_an_option_of_the_workload_explains_tables_that_differ() -> None:
    def table(name: str, ddl: str) -> TargetFacts:
        schema: dict[str, Any] = {"ddl": {"t": f"CREATE TABLE t (id INT PRIMARY KEY) ENGINE=InnoDB{ddl}"}}
        return facts(name, MYSQL, more={"schema": schema})

    graph = TWO.replace('name = "sysbench/oltp_read_write"\ntables = 1\nrows = 1000', 'name = "linkbench"')
    plain = 'mysql:9.7|workload = {table_compression = "none"}'
    study = study_of(graph, a=plain, b=plain.replace("none", "row-compressed"))
    finding = found(study, table("a", ""), table("b", " ROW_FORMAT=COMPRESSED"), rule="compression-mismatch")
    assert (finding.severity, finding.varied_by) == ("info", ("table_compression",))


def test_dumps_under_other_names_are_unequal() -> None:
    """Targets of dumps may have names that the study does not."""
    finding = found(study_of(a=FULL, b=RELAXED), *commits("production", "staging"))
    assert (finding.severity, finding.varied_by) == ("critical", ())
