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
Writes the report of a results folder: one HTML file that opens offline. It needs only the folder, no server or engine;
a copy on a laptop is enough.

  dbdyno report results/first                     writes results/first/report.html
  dbdyno report results/first -o page.html
  dbdyno report results/first --charts figures    each chart as SVG and PNG too
  dbdyno report results/first --format md -o -    to paste into an issue: answer, caveats, tables
  dbdyno report results/first --format pdf        two sheets: answer, first chart, limitations; figures, method
  dbdyno report results/first --format pdf --full     the whole page as printed, all sections open
  dbdyno report results/p26 --against percona-2026    with that report's figures next to yours

A study with the name of a published report, or imported from that report's archive, is checked against its claims
automatically; see dbdyno claims.

A PDF needs a Chromium on this machine; nothing is downloaded.
"""


_FORMATS = ("html", "md", "pdf")


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "report", _STORY, _report)
    parser.one_more = "report takes one folder; dbdyno diff BASE NEW compares two"
    parser.add_argument("results", type=Path, metavar="DIR", help="results folder")
    parser.add_argument("--format", choices=_FORMATS, help="default: by the name of -o, else html")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="default: DIR/report.html, .md or .pdf; -: printed"
    )
    parser.add_argument(
        "--against", default="", metavar="REPORT", help="check the results against this published report"
    )
    parser.add_argument(
        "--full", action="store_true", help="with --format pdf: print the whole page, all sections open"
    )
    parser.add_argument("--charts", type=Path, metavar="FOLDER", help="also write each chart as SVG and PNG")
    parser.add_argument(
        "--browser", type=Path, metavar="FILE", help="Chromium to print the PDF with (default: the first on the PATH)"
    )
    add_check_options(parser)


def _report(choices: argparse.Namespace) -> int:
    from dbdyno.report import save_charts  # late: see _main

    choices.format = choices.format or _format_of(choices.output)
    results = open_results(choices.results, choices)
    if choices.charts is not None:
        save_charts(results, choices.charts, choices.against)
    if choices.output == Path("-"):
        _print_report(results, choices)
        return 0
    if choices.full and choices.format != "pdf":
        raise RequestError("--full is for --format pdf", f"{choices.format} always has every section", "remove --full")
    output = choices.output or choices.results / f"report.{choices.format}"
    _write_report(results, output, choices)
    print(output)
    return 0


def _format_of(output: Path | None) -> str:
    """Return the format that a file's name ends in; html where it names none."""
    suffix = output.suffix.removeprefix(".") if output is not None else ""
    return suffix if suffix in _FORMATS else "html"


def _print_report(results: StoredStudy, choices: argparse.Namespace) -> None:
    from dbdyno.report import markdown_text, page_text

    if choices.format == "pdf":
        raise RequestError("a PDF can't be written to standard output", "", "name a file with -o")
    text_of = markdown_text if choices.format == "md" else page_text
    print(text_of(results, choices.against), end="")


def _write_report(results: StoredStudy, output: Path, choices: argparse.Namespace) -> None:
    from dbdyno.report import build_markdown, build_page, build_pdf

    if choices.format == "pdf":
        build_pdf(results, output, LocalHost(), choices.browser, choices.against, is_full=choices.full)
    elif choices.format == "md":
        build_markdown(results, output, choices.against)
    else:
        build_page(results, output, choices.against)
