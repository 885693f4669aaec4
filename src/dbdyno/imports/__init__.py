"""Imports logs of other tools into a results folder, so that report and judgement read them as well.

Nothing is measured here and nothing is made up: what a log does not say is left out and becomes a caveat of the run.

>>> compile_pattern("Tier{tier}G_{threads}th*").match("x/Tier12G_64th.sysbench.txt.gz")
{'tier': '12G', 'threads': '64'}
"""

from dbdyno.imports._diagnostic import Diagnostic, grouped
from dbdyno.imports._fields import read_given
from dbdyno.imports._import_logs import ImportOutcome, ImportRequest, OnProgress, import_logs
from dbdyno.imports._layouts import Layout
from dbdyno.imports._pattern import Pattern, compile_pattern
from dbdyno.imports._tools import TOOLS

__all__ = [
    "TOOLS",
    "Diagnostic",
    "ImportOutcome",
    "ImportRequest",
    "Layout",
    "OnProgress",
    "Pattern",
    "compile_pattern",
    "grouped",
    "import_logs",
    "read_given",
]
