"""`dbdyno report`: the page, rebuilt from the stored records alone."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dbdyno.cli._help import add_command as add

_STORY = """\
Rebuilds the report from a results folder: one HTML file that opens offline. No server, no load and no
engine is needed, only the folder; a copy on a laptop will do.

  dbdyno report results/first                     writes results/first/report.html
  dbdyno report results/first -o page.html
  dbdyno report results/first --charts figures    each chart as SVG and PNG too
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "report", "rebuild the page from the stored records alone", _STORY, _report)
    parser.add_argument("results", type=Path, metavar="DIR", help="results folder")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.html", help="default: DIR/report.html")
    parser.add_argument("--charts", type=Path, metavar="FOLDER", help="write each chart as SVG and PNG as well")


def _report(choices: argparse.Namespace) -> int:
    from dbdyno.report import build_page, save_charts  # late: see _main
    from dbdyno.store import Results

    results = Results.open(choices.results)
    output = choices.output or choices.results / "report.html"
    build_page(results, output)
    if choices.charts is not None:
        save_charts(results, choices.charts)
    print(output)
    return 0
