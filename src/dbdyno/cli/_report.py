"""`dbdyno report`: rebuilds the page from the stored records alone."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._folder import add_check_options, open_results
from dbdyno.cli._help import add_command as add
from dbdyno.core import RequestError
from dbdyno.hosts import LocalHost

if TYPE_CHECKING:
    from dbdyno.store import StoredStudy

_STORY = """\
Rebuilds the report from a results folder: one HTML file that opens offline. No server, no load and no
engine is needed, only the folder; a copy on a laptop will do.

  dbdyno report results/first                     writes results/first/report.html
  dbdyno report results/first -o page.html
  dbdyno report results/first --charts figures    each chart as SVG and PNG too
  dbdyno report results/first --format md -o -    to be pasted into an issue: answer, caveats, tables
  dbdyno report results/first --format pdf        two sheets: answer, first chart, limitations; figures, method
  dbdyno report results/first --format pdf --full     the whole page as printed, all sections open
  dbdyno report results/p26 --against percona-2026    with what that report prints beside the own figures

A study that bears the name of a published report, or whose logs lay as that report's archive does, is held
against its claims unasked; see dbdyno claims.

A PDF is printed by a Chromium that is on this machine; nothing is downloaded.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "report", _STORY, _report)
    parser.add_argument("results", type=Path, metavar="DIR", help="results folder")
    parser.add_argument("--format", choices=("html", "md", "pdf"), default="html", help="default: html")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="default: DIR/report.html, .md or .pdf; -: printed"
    )
    parser.add_argument(
        "--against", default="", metavar="REPORT", help="hold it against the claims of this published report"
    )
    parser.add_argument("--full", action="store_true", help="with --format pdf: the whole page, all sections open")
    parser.add_argument("--charts", type=Path, metavar="FOLDER", help="write each chart as SVG and PNG as well")
    parser.add_argument(
        "--browser", type=Path, metavar="FILE", help="Chromium that prints the PDF (default: the first on the path)"
    )
    add_check_options(parser)


def _report(choices: argparse.Namespace) -> int:
    from dbdyno.report import save_charts  # late: see _main

    results = open_results(choices.results, choices)
    if choices.charts is not None:
        save_charts(results, choices.charts, choices.against)
    if choices.output == Path("-"):
        _print(results, choices)
        return 0
    if choices.full and choices.format != "pdf":
        raise RequestError("--full is for --format pdf", f"{choices.format} has all of it", "leave --full out")
    output = choices.output or choices.results / f"report.{choices.format}"
    _write(results, output, choices)
    print(output)
    return 0


def _print(results: StoredStudy, choices: argparse.Namespace) -> None:
    from dbdyno.report import markdown_text, page_text

    if choices.format == "pdf":
        raise RequestError("a PDF is not printed to standard output", "", "name a file with -o")
    text_of = markdown_text if choices.format == "md" else page_text
    print(text_of(results, choices.against), end="")


def _write(results: StoredStudy, output: Path, choices: argparse.Namespace) -> None:
    from dbdyno.report import build_markdown, build_page, build_pdf

    if choices.format == "pdf":
        build_pdf(results, output, LocalHost(), choices.browser, choices.against, is_full=choices.full)
    elif choices.format == "md":
        build_markdown(results, output, choices.against)
    else:
        build_page(results, output, choices.against)
