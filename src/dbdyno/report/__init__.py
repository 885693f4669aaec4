"""From the store alone to what people see: a page, its PDF, Markdown, a summary, objects for programs."""

from dbdyno.report._claims import HeldClaims, hold_claims
from dbdyno.report._comparable import OBSTACLE_KINDS, ObstacleKind
from dbdyno.report._diff import LeftOut, StudyDiff, diff_results
from dbdyno.report._diff_markdown import diff_markdown
from dbdyno.report._diff_object import diff_object
from dbdyno.report._diff_terminal import print_diff
from dbdyno.report._document import page_style
from dbdyno.report._evidence import Evidence, gather
from dbdyno.report._export import save_charts
from dbdyno.report._judged import save_judged
from dbdyno.report._markdown import build_markdown, claims_markdown, markdown_text
from dbdyno.report._page import build_page, page_text
from dbdyno.report._pdf import build_pdf
from dbdyno.report._rules import RuleOutcome, hold_rules
from dbdyno.report._stored import stored_study
from dbdyno.report._summary import summary_json
from dbdyno.report._terminal import print_summary, summary_table

__all__ = [
    "OBSTACLE_KINDS",
    "Evidence",
    "HeldClaims",
    "LeftOut",
    "ObstacleKind",
    "RuleOutcome",
    "StudyDiff",
    "build_markdown",
    "build_page",
    "build_pdf",
    "claims_markdown",
    "diff_markdown",
    "diff_object",
    "diff_results",
    "gather",
    "hold_claims",
    "hold_rules",
    "markdown_text",
    "page_style",
    "page_text",
    "print_diff",
    "print_summary",
    "save_charts",
    "save_judged",
    "stored_study",
    "summary_json",
    "summary_table",
]
