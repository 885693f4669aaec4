"""Builds the sections of the page, one file each, in the order of the page."""

from dbdyno.report.sections._capacity import capacity_section
from dbdyno.report.sections._claims import claims_section
from dbdyno.report.sections._configuration import settings_section
from dbdyno.report.sections._counters import counters_section
from dbdyno.report.sections._data import data_section
from dbdyno.report.sections._fairness import fairness_section
from dbdyno.report.sections._frame import Page
from dbdyno.report.sections._head import head_section
from dbdyno.report.sections._how import how_section
from dbdyno.report.sections._latency import latency_section
from dbdyno.report.sections._life import life_section
from dbdyno.report.sections._paper import paper_section
from dbdyno.report.sections._space import space_section
from dbdyno.report.sections._stability import stability_section
from dbdyno.report.sections._throughput import FEW_TARGETS, rank_section, throughput_section
from dbdyno.report.sections._types import types_section
from dbdyno.report.sections._upgrades import upgrades_section
from dbdyno.report.sections._why import why_section

__all__ = [
    "FEW_TARGETS",
    "Page",
    "capacity_section",
    "claims_section",
    "counters_section",
    "data_section",
    "fairness_section",
    "head_section",
    "how_section",
    "latency_section",
    "life_section",
    "paper_section",
    "rank_section",
    "settings_section",
    "space_section",
    "stability_section",
    "throughput_section",
    "types_section",
    "upgrades_section",
    "why_section",
]
