"""From the store alone to what people see: one HTML page, a summary in the terminal, an object for programs."""

from dbdyno.report._evidence import Evidence, gather
from dbdyno.report._export import save_charts
from dbdyno.report._judged import save_judged
from dbdyno.report._page import build_page, page_text
from dbdyno.report._summary import summary_json
from dbdyno.report._terminal import print_summary, summary_table

__all__ = [
    "Evidence",
    "build_page",
    "gather",
    "page_text",
    "print_summary",
    "save_charts",
    "save_judged",
    "summary_json",
    "summary_table",
]
