"""Builds what people see from the store alone: a page, its PDF, Markdown, a summary, objects for programs.

Parts are imported when they are first used: the terminal's summary needs no chart library, which takes longer to import
than the summary takes to print.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.report._altered import altered_caveats
    from dbdyno.report._audit_blocks import print_audit
    from dbdyno.report._claims import CheckedClaims, check_claims, claims_markdown, print_claims
    from dbdyno.report._document import page_style
    from dbdyno.report._export import save_charts
    from dbdyno.report._judged import save_judged
    from dbdyno.report._markdown import build_markdown, markdown_text
    from dbdyno.report._page import build_page, page_text
    from dbdyno.report._pdf import build_pdf
    from dbdyno.report._study_analysis import StudyAnalysis, analyse_study
    from dbdyno.report._summary import summary_json
    from dbdyno.report._terminal import print_summary, summary_table
    from dbdyno.report.diff._blocks import diff_markdown, print_diff
    from dbdyno.report.diff._diff import ExcludedCell, StudyDiff, diff_results
    from dbdyno.report.diff._mismatch import MISMATCH_KINDS, MismatchKind
    from dbdyno.report.diff._object import diff_object
    from dbdyno.report.diff._rules import RuleOutcome, check_rules, overall
    from dbdyno.report.why._blocks import print_why, why_markdown
    from dbdyno.report.why._choice import Why, why_of
    from dbdyno.report.why._object import why_object
else:
    __getattr__ = late_names(
        __name__,
        {
            "_altered": "altered_caveats",
            "_audit_blocks": "print_audit",
            "_claims": "CheckedClaims check_claims claims_markdown print_claims",
            "diff._diff": "ExcludedCell StudyDiff diff_results",
            "diff._blocks": "diff_markdown print_diff",
            "diff._object": "diff_object",
            "_document": "page_style",
            "_export": "save_charts",
            "_judged": "save_judged",
            "_markdown": "build_markdown markdown_text",
            "diff._mismatch": "MISMATCH_KINDS MismatchKind",
            "_page": "build_page page_text",
            "_pdf": "build_pdf",
            "diff._rules": "RuleOutcome check_rules overall",
            "_study_analysis": "StudyAnalysis analyse_study",
            "_summary": "summary_json",
            "_terminal": "print_summary summary_table",
            "why._choice": "Why why_of",
            "why._blocks": "print_why why_markdown",
            "why._object": "why_object",
        },
    )

__all__ = [
    "MISMATCH_KINDS",
    "CheckedClaims",
    "ExcludedCell",
    "MismatchKind",
    "RuleOutcome",
    "StudyAnalysis",
    "StudyDiff",
    "Why",
    "altered_caveats",
    "analyse_study",
    "build_markdown",
    "build_page",
    "build_pdf",
    "check_claims",
    "check_rules",
    "claims_markdown",
    "diff_markdown",
    "diff_object",
    "diff_results",
    "markdown_text",
    "overall",
    "page_style",
    "page_text",
    "print_audit",
    "print_claims",
    "print_diff",
    "print_summary",
    "print_why",
    "save_charts",
    "save_judged",
    "summary_json",
    "summary_table",
    "why_markdown",
    "why_object",
    "why_of",
]
