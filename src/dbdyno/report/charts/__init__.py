"""Draws charts, one file each: a Vega-Lite definition gives the interactive page, PNG and SVG."""

from dbdyno.report.charts._boxes import box_charts
from dbdyno.report.charts._bridge import bridge_chart
from dbdyno.report.charts._claims import claims_chart
from dbdyno.report.charts._curves import curve_charts
from dbdyno.report.charts._heat import heat_charts
from dbdyno.report.charts._history import history_chart
from dbdyno.report.charts._judged import judged_chart
from dbdyno.report.charts._latency import QUANTILE_WORDS, latency_charts
from dbdyno.report.charts._ranks import rank_charts
from dbdyno.report.charts._seconds import seconds_template
from dbdyno.report.charts._spark import spark
from dbdyno.report.charts._stacked_time import part_colours, stacked_time_charts
from dbdyno.report.charts._style import ENDS, Chart, at_best, config, short_names
from dbdyno.report.charts._throughput import MOST_BANDS, panel_title, throughput_charts
from dbdyno.report.charts._timeline import timeline_chart
from dbdyno.report.charts._upgrades import upgrade_charts
from dbdyno.report.charts._why import processors_bridge, why_charts

__all__ = [
    "ENDS",
    "MOST_BANDS",
    "QUANTILE_WORDS",
    "Chart",
    "at_best",
    "box_charts",
    "bridge_chart",
    "claims_chart",
    "config",
    "curve_charts",
    "heat_charts",
    "history_chart",
    "judged_chart",
    "latency_charts",
    "panel_title",
    "part_colours",
    "processors_bridge",
    "rank_charts",
    "seconds_template",
    "short_names",
    "spark",
    "stacked_time_charts",
    "throughput_charts",
    "timeline_chart",
    "upgrade_charts",
    "why_charts",
]
