"""From the store alone to what people see: a page, its PDF, Markdown, a summary, objects for programs.

Parts are imported when they are first used: the terminal's summary needs no chart library, which takes longer to import
than the summary takes to print.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbdyno.report._altered import altered_caveats
    from dbdyno.report._claim_sources import CellFilter, read_cell_filter
    from dbdyno.report._claims import CheckedClaims, check_claims
    from dbdyno.report._diff import ExcludedCell, StudyDiff, diff_results
    from dbdyno.report._diff_markdown import diff_markdown
    from dbdyno.report._diff_object import diff_object
    from dbdyno.report._diff_terminal import print_diff
    from dbdyno.report._document import page_style
    from dbdyno.report._export import save_charts
    from dbdyno.report._judged import save_judged
    from dbdyno.report._markdown import build_markdown, claims_markdown, markdown_text
    from dbdyno.report._mismatch import MISMATCH_KINDS, MismatchKind
    from dbdyno.report._page import build_page, page_text
    from dbdyno.report._pdf import build_pdf
    from dbdyno.report._rules import RuleOutcome, check_rules, overall
    from dbdyno.report._study_analysis import StudyAnalysis, analyse_study
    from dbdyno.report._summary import summary_json
    from dbdyno.report._terminal import print_summary, summary_table
    from dbdyno.report._why import Why, why_of
    from dbdyno.report._why_markdown import why_markdown
    from dbdyno.report._why_object import why_object
    from dbdyno.report._why_terminal import print_why

_MODULES = {
    "CellFilter": "_claim_sources",
    "StudyAnalysis": "_study_analysis",
    "CheckedClaims": "_claims",
    "ExcludedCell": "_diff",
    "MISMATCH_KINDS": "_mismatch",
    "MismatchKind": "_mismatch",
    "RuleOutcome": "_rules",
    "StudyDiff": "_diff",
    "Why": "_why",
    "altered_caveats": "_altered",
    "build_markdown": "_markdown",
    "build_page": "_page",
    "build_pdf": "_pdf",
    "claims_markdown": "_markdown",
    "diff_markdown": "_diff_markdown",
    "diff_object": "_diff_object",
    "diff_results": "_diff",
    "analyse_study": "_study_analysis",
    "check_claims": "_claims",
    "check_rules": "_rules",
    "markdown_text": "_markdown",
    "overall": "_rules",
    "page_style": "_document",
    "page_text": "_page",
    "print_diff": "_diff_terminal",
    "print_summary": "_terminal",
    "print_why": "_why_terminal",
    "read_cell_filter": "_claim_sources",
    "save_charts": "_export",
    "save_judged": "_judged",
    "summary_json": "_summary",
    "summary_table": "_terminal",
    "why_markdown": "_why_markdown",
    "why_object": "_why_object",
    "why_of": "_why",
}

__all__ = [
    "MISMATCH_KINDS",
    "CellFilter",
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
    "print_diff",
    "print_summary",
    "print_why",
    "read_cell_filter",
    "save_charts",
    "save_judged",
    "summary_json",
    "summary_table",
    "why_markdown",
    "why_object",
    "why_of",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
