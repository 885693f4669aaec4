"""Stills: drawings that stand in a page before its script has drawn anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dbdyno.core import HostError
from dbdyno.report import page_text
from dbdyno.report._converter import ChartConverter
from dbdyno.report._html import Html
from dbdyno.report._stills import StillDrawings, still_markup
from dbdyno.store import Results, StoredRun
from page_parts import MEASURED

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" viewBox="0 0 9 9">{}</svg>'


def test_only_known_elements_and_attributes_are_kept() -> None:
    hostile = '<script>x()</script><image href="http://e/"/><path d="M0,0" onclick="x()" style="x" fill="red"/>'
    still = still_markup(SVG.format(hostile), "c")
    assert re.findall(r"<(\w+)", still) == ["svg", "path"]
    assert set(re.findall(r" ([\w-]+)=", still)) == {"viewBox", "class", "aria-hidden", "d", "fill"}


def test_ids_of_two_stills_differ() -> None:
    clipped = '<clipPath id="clip0"><rect width="1" height="1"/></clipPath><path d="M0,0" clip-path="url(#clip0)"/>'
    still = still_markup(SVG.format(clipped), "latency-1")
    assert still.count("latency-1-clip0") == 2
    assert '"clip0"' not in still


def test_names_stay_text_in_a_still(write: Callable[..., Results], tmp_path: Path) -> None:
    name = '<img src=x onerror=alert(1)>"&'
    text = f"""
name = "x"
[[target]]
name = '{name}'
engine = "mysql:9.7"{MEASURED}"""

    def change(run: StoredRun) -> StoredRun | None:
        return replace(run, record=replace(run.record, version="9.7.1"))

    page = page_text(write(tmp_path / "hostile", text=text, change=change), has_stills=True)
    assert page.count('class="still"') > 3
    assert "<img src=x" not in page


def test_charts_of_one_definition_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    def begin(_self: ChartConverter, spec: str) -> Callable[[], str]:
        begun.append(spec)
        return lambda: SVG.format('<path d="M0,0" id="p"/>')

    monkeypatch.setattr(ChartConverter, "begin_svg", begin)
    monkeypatch.setattr(ChartConverter, "warm_up", lambda _self: None)
    with ChartConverter() as converter:
        stills = StillDrawings(converter)
        specs = {"answer": {"mark": "bar"}, "map": {"mark": "bar"}, "curve": {"mark": "line"}}
        places = [stills.place(name, spec, lambda still, _packed: still) for name, spec in specs.items()]
        filled = stills.filled(Html("".join(places)))
    assert len(begun) == 2
    assert re.findall(r' id="(\S+)"', filled) == ["answer-p", "map-p", "curve-p"]


def test_a_page_is_whole_where_nothing_can_be_drawn(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies() -> str:
        raise HostError("the charts can't be drawn", "", "")

    monkeypatch.setattr(ChartConverter, "begin_svg", lambda _self, _spec: dies)
    assert page_text(results, has_stills=True) == page_text(results)


class _Charts(HTMLParser):
    """Collects the charts of a page: whether each is in a closed fold, and whether it has a packed still."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.charts: list[tuple[bool, bool]] = []
        self._are_open: list[bool] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag == "details":
            self._are_open.append("open" in names)
        if "data-chart" in names:
            self.charts.append((not all(self._are_open), "data-still" in names))

    def handle_endtag(self, tag: str) -> None:
        if tag == "details":
            self._are_open.pop()


def test_a_chart_in_a_closed_fold_has_no_packed_still_as_nobody_scrolls_past_it(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dbdyno.report._stills.MOST_INLINE_CHARS", 0)
    charts = _Charts(page_text(results, has_stills=True)).charts
    assert {is_folded for is_folded, _ in charts} == {True, False}
    assert all(is_packed != is_folded for is_folded, is_packed in charts)
