"""Serves a page over many results folders: questions, answers, what runs now, and figures for a monitor.

It reads, and writes nothing but which files were read (`.checked.json`); what it shows is text from files, which the
pages put in as text.
"""

from dbdyno.serve._connections import ConnectionLimits
from dbdyno.serve._live import LiveRun, live_object, live_run
from dbdyno.serve._metrics import open_metrics
from dbdyno.serve._objects import study_object
from dbdyno.serve._reports import ReportCache
from dbdyno.serve._server import serving
from dbdyno.serve._site import Reply, Site
from dbdyno.serve._studies import Studies, StudyFolder

__all__ = [
    "ConnectionLimits",
    "LiveRun",
    "Reply",
    "ReportCache",
    "Site",
    "Studies",
    "StudyFolder",
    "live_object",
    "live_run",
    "open_metrics",
    "serving",
    "study_object",
]
