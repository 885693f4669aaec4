"""`dbdyno audit`: checks that the servers behind a comparison were alike in effect, from a study or from dumps."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._color import tell
from dbdyno.cli._console import wide_console
from dbdyno.cli._folder import add_check_options, open_results
from dbdyno.cli._help import add_command as add
from dbdyno.core import StoreError, counted

if TYPE_CHECKING:
    from rich.console import Console

    from dbdyno.audit import Audit, ComparisonSet, Decision, Finding
    from dbdyno.store import StoredStudy

_STORY = """\
Lists the differences in configuration between compared servers: the values, which server each one favours, why, and how
to remove it. Reads a results folder of dbdyno, or dumps of any compared servers, yours or published ones. Each of the
99 rules ends as a finding, clear, undecided (with the evidence that is missing) or not applicable.

  dbdyno audit results/first
  dbdyno audit benchmark_logs
  dbdyno audit results/dumps --json | jq '.[] | select(.severity == "critical") | .id'

A results folder holds what most rules need: variables, counters around and in each window, the option file,
the load's sessions, the tables' definitions, machine and order. Targets are compared within one workload, route and
memory tier; each target is represented by its last run at the highest concurrency.

Where throughput was measured, the severity of a finding depends on its possible effect: critical only if it may be
why one target leads another. The note below it names that lead, and how much the difference may be worth.

In dumps, a target is a folder with SHOW GLOBAL VARIABLES, SHOW GLOBAL STATUS, its option file, a pt-mysql-summary or
a facts.json, in any of the forms the clients print, plain or gzip; dbdyno recognises files by their content.
Targets in one folder are distinguished by the names of their files. A folder or file name such as Tier12G or 2GB
is the memory tier; only targets of one tier and one campaign are compared. What dumps do not contain (ciphers of
the load's sessions, DDL, facts of the host) goes into facts.json: docs/guides/audit.md.

--json prints a list of findings: id, severity, targets, values (effective value -> targets), favours,
remedy, tiers, campaign, certainty (read, derived, inferred, asked), what, reason, source. With --all, the rules
without a finding follow, with outcome and missing.

--fix STUDY -o FILE writes a new study file without the differences that settings can remove. It drops settings and
options of single targets that make them differ, so that dbdyno's value applies to all; what dbdyno does not set
gets one value for all, in [settings]. It lists each change with its finding, and what stays and why:

  dbdyno audit --fix mine.toml results/mine -o mine-fair.toml

Exit code 0: no critical or high finding is open; 1: one is open (with --fix: one stays); 2: there is nothing to
audit.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "audit", _STORY, _audit)
    parser.add_argument(
        "folder", type=Path, metavar="DIR", help="results folder, or folder with the dumps of all targets"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as a JSON list")
    parser.add_argument("--fix", type=Path, metavar="STUDY", help="study file to rewrite without the differences")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where --fix writes the new study")
    parser.add_argument("--all", action="store_true", help="also list rules that are clear or not applicable")
    add_check_options(parser)


def _audit(choices: argparse.Namespace) -> int:
    from dbdyno.audit import all_data, finding_data  # late: see _main

    study = _stored_study(choices)
    sets = _dumped_sets(choices.folder) if study is None else _stored_sets(study)
    result, late_findings = _audit_sets(sets, study)
    if choices.fix is not None:
        from dbdyno.cli._audit_fix import fix

        return fix(choices.fix, sets, result.findings, choices.output)
    if choices.json:
        findings = all_data(result) if choices.all else [finding_data(finding) for finding in result.findings]
        findings += [{**finding_data(finding), "since": "while driven"} for finding in late_findings]
        print(json.dumps(findings, indent=1, ensure_ascii=False))
    else:
        _print_audit(result, late_findings, choices.all, wide_console())
    return 1 if any(finding.severity in ("critical", "high") for finding in (*result.findings, *late_findings)) else 0


def _audit_sets(sets: Sequence[ComparisonSet], study: StoredStudy | None) -> tuple[Audit, tuple[Finding, ...]]:
    """Return the audit, and what came to differ while servers were driven; driven servers weighed by measured gaps."""
    from dbdyno.audit import audit
    from dbdyno.report import analyse_study

    if study is not None and (fairness := analyse_study(study).fairness).sets:
        return fairness.audit, fairness.late
    return audit(sets), ()


def _stored_study(choices: argparse.Namespace) -> StoredStudy | None:
    """Return the study of a results folder; None of a folder with dumps."""
    from dbdyno.store import is_results_folder

    return open_results(choices.folder, choices) if is_results_folder(choices.folder) else None


def _stored_sets(study: StoredStudy) -> tuple[ComparisonSet, ...]:
    from dbdyno.audit.studies import inspected_set, study_sets

    sets = study_sets(study)
    if not sets and (inspections := study.inspections()):
        sets = (inspected_set(study, study.study, inspections),)
        print("read before the first run: facts that only a measured window shows are missing", file=sys.stderr)
    if not sets:
        raise StoreError(
            f"{study.path} has no run that can be audited",
            "none of its runs has values read from a server",
            "run the study, or give a folder with dumps",
        )
    return sets


def _dumped_sets(folder: Path) -> tuple[ComparisonSet, ...]:
    """Return comparison sets of the dumps in a folder."""
    from dbdyno.audit.dumps import read_dumps

    dumps = read_dumps(folder)
    for entry in dumps.unread:
        tell(f"warning: {entry.path} is left out: {entry.why}")
    return dumps.sets


def _print_audit(result: Audit, late_findings: Sequence[Finding], is_full: bool, console: Console) -> None:
    console.print(f"{counted(len(result.targets), 'target')}: {', '.join(result.targets)}", markup=False)
    has_campaigns = len({decision.campaign for decision in result.decisions}) > 1
    for finding in result.findings:
        _print_finding(finding, has_campaigns, console)
    if late_findings:
        console.print("\nSINCE THE SERVERS WERE DRIVEN", style="bold", markup=False)
    for finding in late_findings:
        _print_finding(finding, has_campaigns, console)
    _print_undecided(result, has_campaigns, console)
    if is_full:
        for outcome in ("clear", "not applicable"):
            ids = [_rule_with_campaign(d, has_campaigns) for d in result.with_outcome(outcome)]
            console.print(f"\n{outcome}: {', '.join(ids) or 'none'}", markup=False)
    console.print(f"\n{_summary_line(result)}", markup=False)


def _print_finding(finding: Finding, has_campaigns: bool, console: Console) -> None:
    from dbdyno.audit import spoken_values

    rule = finding.rule
    place = ["between campaigns"] if finding.between else [finding.campaign] if has_campaigns else []
    places_words = ", ".join((*place, *finding.tiers))
    head = f"{finding.severity.upper()}  {rule.title}  [{rule.rule_id}]"
    console.print(
        f"\n{head}  {finding.certainty}{'; ' + places_words if places_words else ''}", style="bold", markup=False
    )
    for title, groups in spoken_values(finding):
        indent = "  "
        if title:
            console.print(f"  {title}", markup=False)
            indent = "    "
        for value, names in groups:
            console.print(f"{indent}{value.exact_words}: {', '.join(names)}", markup=False)
    for label, text in (("favours", finding.favours), ("why", rule.reason), ("remedy", rule.remedy)):
        console.print(f"  {label}: {text}", markup=False)
    if finding.remark:
        console.print(f"  note: {finding.remark}", markup=False)
    for target, evidence in finding.lacks.items():
        console.print(f"  not known for {target}: {evidence}", markup=False)


def _print_undecided(result: Audit, has_campaigns: bool, console: Console) -> None:
    from dbdyno.audit import missing_words

    decisions = result.with_outcome("undecided")
    if decisions:
        console.print(
            "\nUNDECIDED: evidence is missing, so these rules are neither findings nor clear",
            style="bold",
            markup=False,
        )
    for decision in decisions:
        console.print(
            f"  {_rule_with_campaign(decision, has_campaigns)} ({decision.rule.severity}): {missing_words(decision)}",
            markup=False,
        )


def _rule_with_campaign(decision: Decision, has_campaigns: bool) -> str:
    return f"{decision.campaign or '.'}: {decision.rule.rule_id}" if has_campaigns else decision.rule.rule_id


def _summary_line(result: Audit) -> str:
    findings_count = len({(finding.campaign, finding.rule.rule_id) for finding in result.findings})
    counts = {outcome: len(result.with_outcome(outcome)) for outcome in ("undecided", "clear", "not applicable")}
    return f"{counted(findings_count, 'rule')} with findings, " + ", ".join(
        f"{n} {outcome}" for outcome, n in counts.items()
    )
