"""The audit of a study in its report: grave differences on top, promises with each result."""

from __future__ import annotations

import io
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from dbdyno.analyse import listed
from dbdyno.audit import Audit, Finding, rules
from dbdyno.core import Caveat, Run
from dbdyno.report import analyse_study, markdown_text, page_text, summary_json, summary_table
from dbdyno.report._fairness import Fairness, fairness_line, finding_sentence, policy_remains
from dbdyno.store import Results, StoredStudy
from dbdyno.study import settings_lines
from stored_study import TWINS, TWO, write_study

COMMIT_RULE = next(rule for rule in rules() if rule.rule_id == "commit-policy-mismatch")


def relaxed(run: Run, fields: dict[str, Any]) -> None:
    fields["variables"]["sql_mode"] = "STRICT_TRANS_TABLES"
    if run.cell.target == "mysql:9.7":
        fields["variables"]["sql_mode"] = "NO_ENGINE_SUBSTITUTION"
        fields["variables"]["innodb_flush_log_at_trx_commit"] = "2"
        fields["server_cnf"] = "[mysqld]\ninnodb_flush_log_at_trx_commit = 2\nskip_log_bin\n"


@pytest.fixture(scope="module")
def unlike(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    return write_study(tmp_path_factory.mktemp("unlike") / "two", TWO, relaxed)


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    return write_study(tmp_path_factory.mktemp("alike") / "two", TWINS)


def terminal(results: StoredStudy) -> str:
    console = Console(width=160, highlight=False, record=True, file=io.StringIO())
    console.print(summary_table(results))
    return console.export_text()


def test_a_critical_difference_stands_first_in_one_sentence_with_values_and_whom_it_favours(unlike: Results) -> None:
    first = analyse_study(unlike).limitations[0]
    assert first.code == "audit-commit-policy-mismatch"
    assert re.match(rf"Critical .* 64 MiB, {COMMIT_RULE.title}: ", first.text)
    assert "written at each commit, synced later (MySQL 9.7)" in first.text and "Favours" in first.text
    assert re.search(r" commit\.durability\b.* in \[settings\]\.$", first.text), "the setting to write in the study"


def test_of_many_amounts_the_least_and_the_most_are_told() -> None:
    names = ("mysql:9.7", "mysql:5.5", "mysql:5.6", "mysql:5.7", "mysql:8.0")
    amounts = {str((5 - place) * 100 << 20): (name,) for place, name in enumerate(names)}
    finding = Finding(COMMIT_RULE, "high", "", (), names, {"host:rss_bytes": amounts}, "read", "the larger", "", {}, {})
    text = finding_sentence(finding)
    assert " 100 MiB (MySQL 8.0) to 500 MiB (MySQL 9.7)" in text, text
    words = {f"word{place}": (name,) for place, name in enumerate(names)}
    text = finding_sentence(Finding(COMMIT_RULE, "high", "", (), names, {"derived:x": words}, "read", "", "", {}, {}))
    assert re.search(r" word0, word1, word2 .*\b2 ", text) and "word3" not in text, text


def test_an_open_critical_finding_stands_above_the_answer_in_every_format(unlike: Results, twins: Results) -> None:
    warning = analyse_study(unlike).fairness.warning
    assert f"({COMMIT_RULE.title})" in warning and " critical " in warning
    said = warning.partition(" (")[0]
    assert terminal(unlike).index(said) < terminal(unlike).index("TPS, 95 %")
    page, markdown = page_text(unlike), markdown_text(unlike)
    assert page.index(said) < page.index("Limitations")
    assert markdown.index(said.rpartition(": ")[2]) < markdown.index("Every place")
    assert str(summary_json(unlike)["warning"]) == warning
    assert analyse_study(twins).fairness.warning == ""


def test_the_durability_class_stands_with_each_result_in_every_format(unlike: Results) -> None:
    fairness = analyse_study(unlike).fairness
    flushed_words, relaxed_words = fairness.durability("mariadb:11.8"), fairness.durability("mysql:9.7")
    assert flushed_words.startswith("flush per commit") and relaxed_words.startswith("relaxed: ")
    cells = summary_json(unlike)["cells"]
    assert isinstance(cells, list)
    assert {cell["target"]: cell["durability"] for cell in cells} == {
        "mariadb:11.8": flushed_words,
        "mysql:9.7": relaxed_words,
    }
    table = next(line for line in markdown_text(unlike).splitlines() if "MySQL 9.7" in line and line.startswith("|"))
    assert relaxed_words in table
    assert relaxed_words in terminal(unlike)
    assert relaxed_words in page_text(unlike)


def test_what_came_to_differ_while_servers_were_driven_is_told_apart(tmp_path: Path) -> None:
    def tuned(run: Run, fields: dict[str, Any]) -> None:
        fields["variables_after"] = dict(fields["variables"])
        if run.cell.target == "other":
            fields["variables_after"]["innodb_flush_log_at_trx_commit"] = "2"
            fields["caveats"] = (Caveat("variables-changed", "innodb_flush_log_at_trx_commit from 1 to 2"),)

    results = write_study(tmp_path / "two", TWINS, tuned)
    analysis = analyse_study(results)
    assert [finding.rule.rule_id for finding in analysis.fairness.audit.findings] == []
    assert [finding.rule.rule_id for finding in analysis.fairness.late] == [
        "commit-policy-mismatch",
        "asked-not-effective",
    ]
    codes = [caveat.code for caveat in analysis.limitations]
    assert "audit-after-window" in codes and "variables-changed" in codes
    assert page_text(results).count('data-rule="commit-policy-mismatch"') == 1


@pytest.mark.parametrize(("concurrencies", "is_above_high"), [((1, 4), True), ((1,), False)])
def test_a_machine_that_was_shared_in_half_of_the_runs_stands_below_critical_differences_alone(
    tmp_path: Path, concurrencies: tuple[int, ...], is_above_high: bool
) -> None:
    def disturbed(run: Run, fields: dict[str, Any]) -> None:
        relaxed(run, fields)
        fields["variables"]["innodb_adaptive_hash_index"] = "OFF" if run.cell.target == "mysql:9.7" else "ON"
        if run.repeat == 1 and run.cell.concurrency in concurrencies:
            fields["caveats"] = (Caveat("other-load", "other programs used 1.31 of the host's 2 processors"),)

    analysis = analyse_study(write_study(tmp_path / "two", TWO, disturbed))
    critical, high = analysis.fairness.critical_caveats, analysis.fairness.high_caveats
    place = [caveat.code for caveat in analysis.limitations].index("other-load")
    assert critical and high
    assert place == len(critical) if is_above_high else place >= len(critical) + len(high)


def test_lesser_differences_are_counted_last(unlike: Results) -> None:
    last = analyse_study(unlike).limitations[-1]
    assert last.code == "audit-lesser" and "under Fairness" in last.text


def test_identical_targets_earn_no_caveat_of_fairness(twins: Results) -> None:
    assert not [c for c in analyse_study(twins).limitations if c.code.startswith("audit-")]
    line = fairness_line(analyse_study(twins).fairness)
    assert line in terminal(twins) and not any(severity in line for severity in ("critical", "high", "medium", "low"))


def test_equal_effect_is_claimed_only_where_nothing_is_open(unlike: Results, twins: Results, tmp_path: Path) -> None:
    (line,) = settings_lines(twins.study)
    claim = line.partition("aligned, ")[2]
    assert claim and all(claim in text(twins) for text in (terminal, markdown_text, page_text))
    assert not any(claim in text(unlike) for text in (terminal, markdown_text, page_text))
    count = sum(analyse_study(unlike).fairness.counted_rules.values())
    assert f"policy: aligned; {count} difference" in terminal(unlike)
    unread = write_study(tmp_path / "unread", TWINS, lambda _, fields: fields.update(variables={}))
    assert claim not in terminal(unread)
    assert f"aligned; {policy_remains(analyse_study(unread).fairness)}" in terminal(unread)


def test_one_durability_for_all_is_one_line_and_different_ones_a_column(unlike: Results, twins: Results) -> None:
    (target, *_) = analyse_study(twins).targets
    assert terminal(twins).count(f": {analyse_study(twins).fairness.durability(target)}\n") == 1
    rows = [line for line in terminal(unlike).splitlines() if line.startswith("  M")]
    assert any("MySQL 9.7" in row and "relaxed" in row for row in rows)
    assert any("MariaDB 11.8" in row and "flush per" in row for row in rows)


def test_the_page_tells_promises_then_differences_then_what_is_missing(unlike: Results) -> None:
    text = page_text(unlike)
    section = text[text.index('id="fairness"') : text.index('id="settings"')]
    order = ["durability", 'data-rule="commit-policy-mismatch"', "undecided for lack", "rules clear"]
    places = [section.lower().index(words.lower()) for words in order]
    assert places == sorted(places)
    fairness = analyse_study(unlike).fairness
    assert fairness.durability("mysql:9.7") in section
    key = text[text.index('aria-label="Targets and their colours"') : text.index('id="throughput"')]
    assert fairness.durability("mysql:9.7") in key and fairness.durability("mariadb:11.8") in key


def section_of(markdown: str, title: str) -> str:
    return markdown.partition(f"### {title}\n")[2].partition("\n### ")[0]


def test_page_and_markdown_have_the_same_differences(unlike: Results) -> None:
    findings = analyse_study(unlike).fairness.audit.findings
    page, markdown = page_text(unlike), section_of(markdown_text(unlike), "Fairness")
    assert page.count("data-rule=") == len(findings) > 1
    for finding in findings:
        assert f"**{finding.severity}: {finding.rule.title}**" in markdown
        assert finding.rule.remedy in page
    assert markdown.count("**favours**: ") == len(findings)
    assert all(finding.rule.remedy in markdown.replace("\\", "") for finding in findings)
    assert f"| MySQL 9.7 | {analyse_study(unlike).fairness.durability('mysql:9.7')} |" in markdown


def test_the_terminal_names_the_differences(unlike: Results, twins: Results) -> None:
    findings = analyse_study(unlike).fairness.audit.findings
    lines = terminal(unlike).partition("\nFairness\n")[2].splitlines()
    assert any(re.match(rf" *- critical .*64 MiB: {COMMIT_RULE.title} \(favours ", line) for line in lines)
    titles = {finding.rule.title for finding in findings if finding.severity != "info"}
    assert all(any(title in line for line in lines) for title in titles)
    assert "\nFairness\n" not in terminal(twins)


def test_where_nothing_was_read_markdown_says_so(tmp_path: Path) -> None:
    results = write_study(tmp_path / "unread", TWINS, lambda _, fields: fields.update(variables={}))
    assert section_of(markdown_text(results), "Fairness").strip().startswith("Unknown")


def test_every_format_says_that_p_values_are_adjusted(unlike: Results) -> None:
    assert all("(Holm)" in text(unlike).partition("Limitations")[2] for text in (markdown_text, page_text))
    assert "(Holm)" in terminal(unlike)
    pairs = markdown_text(unlike).partition("<summary>The comparison</summary>")[2] or markdown_text(unlike)
    assert pairs.index("(Holm)") < pairs.index("| left | right |")


def test_one_durability_for_all_stands_once_under_the_key(twins: Results) -> None:
    text = page_text(twins)
    head = text[: text.index('id="throughput"')]
    (target, *_) = analyse_study(twins).targets
    assert head.count(analyse_study(twins).fairness.durability(target)) == 1


def test_where_nothing_was_read_from_servers_nothing_is_called_alike(tmp_path: Path) -> None:
    def silent(run: Run, fields: dict[str, Any]) -> None:
        fields["variables"] = {}

    results = write_study(tmp_path / "two", TWINS, silent)
    assert "fairness: unknown" in terminal(results) and "durability" not in terminal(results)
    assert "data-rule=" not in page_text(results)


def test_programs_get_every_outcome_and_the_promises(unlike: Results) -> None:
    summary: Any = summary_json(unlike)
    outcomes = {entry["id"]: entry["outcome"] for entry in summary["fairness"]}
    assert outcomes["commit-policy-mismatch"] == "finding" and len(outcomes) == 99
    assert summary["promises"]["mysql:9.7"][0]["encryption"] == "plain"


def test_many_high_differences_are_one_line_and_many_targets_a_number() -> None:
    class Many:
        severity, campaign, tiers, targets = "high", "", ("64 MiB", "2 GiB"), ("a", "b", "c", "d")
        between = False
        remark = ""
        remedy = "Set them alike."
        favours = "the larger log: a, b"

        def __init__(self, rule_id: str) -> None:
            self.rule = SimpleNamespace(rule_id=rule_id, title=f"title of {rule_id}", inputs=("host:a_bytes",))
            self.values = {"2147483648": ("a", "b"), "4294967296": ("c", "d")}

    findings = tuple(Many(f"rule-{number}") for number in range(4))
    many = Fairness(cast("Audit", SimpleNamespace(findings=findings)), {}, 2)
    assert [caveat.code for caveat in many.high_caveats] == ["audit-high"]
    assert f" {listed([finding.rule.title for finding in findings])};" in many.high_caveats[0].text
    few = Fairness(cast("Audit", SimpleNamespace(findings=findings[:1])), {}, 2)
    (caveat,) = few.high_caveats
    title, favoured = few.audit.findings[0].rule.title, Many.favours.partition(":")[0]
    assert re.fullmatch(rf"High .*{title}: 2 GiB \(2 .*\), 4 GiB \(2 .*\)\. .*{favoured}\. {Many.remedy}", caveat.text)


def test_one_rule_that_finds_another_value_at_each_place_is_one_line() -> None:
    def found(tier: str) -> SimpleNamespace:
        rule = SimpleNamespace(rule_id="rule", title="memory of the process", inputs=("x",))
        values = {f"{tier}, A": ("a",), f"{tier}, B": ("b",)}
        facts = {"severity": "critical", "campaign": "", "tiers": (tier,), "targets": ("a", "b"), "favours": "b"}
        return SimpleNamespace(rule=rule, values=values, between=False, remark="", remedy="Set them alike.", **facts)

    findings = tuple(map(found, ("16 MiB", "64 MiB", "128 MiB")))
    fairness = Fairness(cast("Audit", SimpleNamespace(findings=findings)), {}, 3)
    (caveat,) = fairness.critical_caveats
    assert " 16 MiB" in caveat.text and " 2 more places" in caveat.text and caveat.text.endswith(" Set them alike.")
    assert re.search(r"\bone critical\b", fairness.warning)


def test_first_screen_and_terminal_count_the_same_rules(unlike: Results) -> None:
    fairness = analyse_study(unlike).fairness
    critical = fairness.counted_rules["critical"]
    assert f"({critical} critical" in fairness_line(fairness)
    assert critical == len(fairness.critical_caveats)
