"""Prints two sheets of paper, or the whole page, as a PDF, by a headless Chromium of this machine."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from dbdyno.core import HostError
from dbdyno.hosts import Host
from dbdyno.report._page import page_text, paper_text
from dbdyno.report._write_atomic import write_atomic
from dbdyno.store import StoredStudy

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
_DRAWING_MS = 120_000  # milliseconds of the page's virtual clock, which stops while the page computes
_TIMEOUT_S = 600.0
_SHEET_PX = 740
"""Width at which charts are drawn: that of a sheet between its margins."""


def build_pdf(
    results: StoredStudy,
    out: Path,
    host: Host,
    browser: Path | None = None,
    against: str = "",
    *,
    is_full: bool = False,
) -> Path:
    """Write two sheets of paper, or the whole page with all its sections open, as PDF; the file that was written.

    Parameters
    ----------
    host : where the browser runs
    browser : its program; the first Chromium on the path when none is named
    against : as in `dbdyno.report.build_page`; for the whole page
    is_full : whether it is the whole page

    Raises
    ------
    HostError : no browser, or it does not start, made no PDF, or left a chart undrawn
    StoreError : the file can't be written
    """
    program = str(browser or _first_browser())
    with TemporaryDirectory(prefix="dbdyno-pdf-") as name:
        folder = Path(name)
        page, pdf_path = folder / "report.html", folder / "report.pdf"
        page.write_text(page_text(results, against) if is_full else paper_text(results), encoding="utf-8")
        try:
            process = host.run(_browser_command(program, folder, page, pdf_path), timeout_s=_TIMEOUT_S, check=False)
        except HostError as error:
            raise HostError(error.what, error.why, _browser_remedy()) from error
        if not pdf_path.exists() or not pdf_path.read_bytes().startswith(b"%PDF"):
            raise HostError(f"{program} wrote no PDF", _last_line(process.stderr), _browser_remedy())
        undrawn_charts = re.findall(r'data-chart="([^"]*)"[^>]*>(?!<svg)', process.stdout)
        if undrawn_charts:
            raise HostError(f"{program} did not draw all charts", ", ".join(undrawn_charts), _browser_remedy())
        return write_atomic(out, pdf_path.read_bytes())


def _browser_command(program: str, folder: Path, page: Path, pdf_path: Path) -> list[str]:
    # Chromium's sandbox refuses to start for root; the page runs no script but its own and may connect to nothing.
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    return [
        program,
        "--headless",
        *as_root,
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-pdf-header-footer",
        f"--window-size={_SHEET_PX},1000",
        f"--user-data-dir={folder / 'profile'}",
        f"--virtual-time-budget={_DRAWING_MS}",
        "--dump-dom",
        f"--print-to-pdf={pdf_path}",
        f"{page.as_uri()}?print",
    ]


def _first_browser() -> str:
    for name in _BROWSERS:
        program = shutil.which(name)
        if program:
            return program
    why = f"looked for {', '.join(_BROWSERS)} on the path"
    raise HostError("no Chromium on this machine", why, _browser_remedy(), code="browser-missing")


def _browser_remedy() -> str:
    return "install one (Debian: apt-get install chromium), name one with --browser, or print the HTML page by hand"


def _last_line(stderr: str) -> str:
    lines = stderr.strip().splitlines()
    return lines[-1] if lines else ""
