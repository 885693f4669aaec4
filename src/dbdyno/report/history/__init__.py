"""Follows the same cells over many studies: series, change points, page, objects and files for others."""

from dbdyno.report.history._gather import History, Omitted, Order, StudyAt, gather_history
from dbdyno.report.history._object import history_object
from dbdyno.report.history._otava import MEASURES, save_otava
from dbdyno.report.history._page import build_history_page, history_page_text
from dbdyno.report.history._rules import HistoryRule, check_history_rules, since_ns
from dbdyno.report.history._terminal import print_history, rule_lines

__all__ = [
    "MEASURES",
    "History",
    "HistoryRule",
    "Omitted",
    "Order",
    "StudyAt",
    "build_history_page",
    "check_history_rules",
    "gather_history",
    "history_object",
    "history_page_text",
    "print_history",
    "rule_lines",
    "save_otava",
    "since_ns",
]
