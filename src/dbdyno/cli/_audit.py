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
from dbdyno.core import StoreError

if TYPE_CHECKING:
    from dbdyno.audit import Audit, ComparisonSet, Finding
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
    parser.one_more = "audit takes one folder, of results or of dumps"
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
    from dbdyno.report import print_audit

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
        print_audit(result, late_findings, wide_console(), has_all=choices.all)
    return 1 if any(finding.severity in ("critical", "high") for finding in (*result.findings, *late_findings)) else 0


def _audit_sets(sets: Sequence[ComparisonSet], study: StoredStudy | None) -> tuple[Audit, tuple[Finding, ...]]:
    """Return the audit, and what came to differ while servers were driven; driven servers weighed by measured gaps."""
    from dbdyno.audit import audit
    from dbdyno.audit.studies import audit_study
    from dbdyno.report import analyse_study

    if study is None:
        return audit(sets), ()
    fairness = analyse_study(study).fairness
    return (fairness.audit, fairness.late) if fairness.sets else (audit_study(study.study, sets), ())


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
