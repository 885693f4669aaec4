"""Frames a page: one HTML file that opens offline, asks nothing of a network, and runs only its own script.

The content policy names the SHA-256 of the page's two scripts and forbids all connections, so that even text that
slipped through the escaping could neither run nor phone home. Charts are Vega-Lite, drawn by an interpreter.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from types import MappingProxyType

from dbdyno.report._html import Html, element, join_html, script_json
from dbdyno.report._palette import Palette
from dbdyno.report._vega import vega_script

_TITLE_CHARS = 300


def document(
    title: str,
    contents: Sequence[tuple[str, str]],
    body: Html,
    data: object,
    palette: Palette,
    script_name: str,
    runs: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a page.

    Parameters
    ----------
    contents : anchor and words of each section that may be in the body
    data : what the script draws from
    script_name : of the page's own script, among the packaged files
    runs : by id what is shown when a run is opened, packed; it stands behind the scripts
    """
    script = asset(script_name)
    links = [element("a", words, href=f"#{anchor}") for anchor, words in contents if f'id="{anchor}"' in body]
    return Template(asset("page.html")).substitute(
        title=join_html([title[:_TITLE_CHARS]]),
        policy=f"default-src 'none'; script-src {_digest(vega_script())} {_digest(script)}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'",
        style=style(palette),
        contents=join_html(links),
        body=body,
        data=script_json(data),
        runs=element("script", Html(script_json(dict(runs))), type="application/json", id="runs-data") if runs else "",
        bundle=vega_script(),
        script=script,
    )


def page_style() -> str:
    """Return the style of pages that show no targets."""
    return style(Palette(()))


def style(palette: Palette) -> str:
    """Return the style of all pages, with the colours of a light and a dark one."""
    light, dark = palette.css()
    return asset("page.css").replace("/*light*/", light).replace("/*dark*/", dark)


def asset(name: str) -> str:
    """Return a packaged file of the page."""
    return (Path(__file__).parent / "page" / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    """Return the script's hash as a content policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
