"""`dbdyno audit --fix`: writes a study anew without the differences that settings can remove."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dbdyno.audit import ComparisonSet, Finding
from dbdyno.audit.studies import FindingOutcome, align_study
from dbdyno.cli._color import tell
from dbdyno.core import StudyError
from dbdyno.study import read_study, scales_of, study_text

_HEAD = "# Written by dbdyno audit --fix from {source}. Each change and its finding:\n"


def fix(source: Path, sets: Sequence[ComparisonSet], findings: Sequence[Finding], output: Path | None) -> int:
    """Write the new study and say what was done; 1 when a critical or high difference stays.

    Parameters
    ----------
    findings : of these sets, as grave as `dbdyno audit` calls them

    Raises
    ------
    StudyError : no file to write to, or one that is there already
    """
    if output is None or output.exists():
        problem = "--fix needs a file to write the new study to" if output is None else f"{output} already exists"
        raise StudyError(problem, "", "name a new file with -o")
    aligned = align_study(read_study(source), sets, findings)
    if scales_of(source):
        tell(f"warning: the new study is at the study's own scale; those in {source} are left out")
    changed_outcomes = [outcome for outcome in aligned.outcomes if outcome.changes]
    comments = [f"#   {_finding_title(outcome)}: {'; '.join(outcome.changes)}\n" for outcome in changed_outcomes]
    text = _HEAD.format(source=source.name) + ("".join(comments) or "#   nothing\n") + "\n" + study_text(aligned.study)
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StudyError(f"{output} can't be written", error.strerror or str(error), "name another file") from error
    _print_outcomes(aligned.outcomes, output)
    grave_outcomes = [outcome for outcome in aligned.outcomes if outcome.is_left and _is_grave(outcome)]
    return 1 if grave_outcomes else 0


def _print_outcomes(outcomes: Sequence[FindingOutcome], output: Path) -> None:
    satisfied_outcomes = [outcome for outcome in outcomes if not outcome.changes and not outcome.is_left]
    groups = (
        ("changed", [(o, o.changes) for o in outcomes if o.changes]),
        ("nothing to write", [(o, (o.why,)) for o in satisfied_outcomes]),
        ("stays", [(o, (o.why,)) for o in outcomes if o.is_left]),
    )
    for title, group in groups:
        if group:
            print(f"{title}:")
        for outcome, lines in group:
            print(f"  {_finding_title(outcome)}")
            for line in lines:
                print(f"    {line}")
    print(f"study: {output}")


def _finding_title(outcome: FindingOutcome) -> str:
    finding = outcome.finding
    return f"{finding.severity}, {finding.rule.title} [{finding.rule.rule_id}]"


def _is_grave(outcome: FindingOutcome) -> bool:
    return outcome.finding.severity in ("critical", "high")
