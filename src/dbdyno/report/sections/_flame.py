"""Draws flame graphs of a pair's deep profiles: frames as wide as their time, coloured by the difference.

Each is drawn without a script, in shares of the width, so that it fits a phone and paper alike; the page's script adds
reading by keys and enlarging. Frames that would be narrower than a hair are left out.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from dataclasses import dataclass

from dbdyno.analyse.explain import Frame, FunctionTimes, least_total, ms_words, same_function
from dbdyno.core import KERNEL_MARK, is_unnamed
from dbdyno.report._blocks import Block, Heading, Paragraph, folded, subtitle, to_see
from dbdyno.report._html import Html, element, to_html
from dbdyno.report.why._blocks import functions_table
from dbdyno.report.why._deep import (
    ABOUT_DEEP,
    KINDS,
    DeepProfile,
    Waiting,
    deep_lines,
    function_words,
)
from dbdyno.store import folded_text

_LEAST_SHARE = 0.0025
_LEAST_KERNEL_SHARE = 0.02
"""Least share of frames within the kernel: thin stacks of thirty frames would make the graph twice as high."""
_ROW_PX = 18
_LABEL_SHARE = 0.05
"""Share of the width; narrower frames have no label until the script finds that it fits."""
_STEPS = (0.01, 0.03, 0.1)
"""Share of the smaller whole time from where on a difference has a stronger colour."""
_TO_SEE = (
    "Wider frames take more time. A frame lies below its caller. Red: the function takes longer in {right}; blue: "
    "shorter. The colour is stronger from 1, 3 and 10 % of the time. Grey: function without a name; _[k]: kernel."
)

_HOW_TO_READ = "Point at a frame, or use the arrow keys. Click to zoom in; Escape zooms out."


def deep_parts(deep: DeepProfile) -> list[Block]:
    """Return lines, both flame graphs of the processor, those of waits, and the functions as a table."""
    lines = [Paragraph(line) for line in deep_lines(deep)]
    blocks: list[Block] = [Heading("Time by function"), *lines]
    for kind in KINDS:
        if deep.comparison(kind) is not None:
            blocks += _flame_graph_blocks(deep, kind)
    return [element("div", to_html(blocks), class_="deep", id="why-deep")] if len(blocks) > 1 else []


def _flame_graph_blocks(deep: DeepProfile, kind: Waiting) -> list[Block]:
    left_graph, right_graph = (_flame_graph(deep, kind, side) for side in (0, 1))
    table = functions_table(deep, kind)
    table_blocks: list[Block] = [subtitle(ABOUT_DEEP), table] if table else []
    words = to_see(_TO_SEE.format(right=deep.titles[1]))
    blocks: list[Block] = [right_graph, words, folded(f"The same of {deep.titles[0]}", left_graph), *table_blocks]
    return blocks if kind == "on_cpu" else [folded("Where sessions were blocked", *blocks)]


def _flame_graph(deep: DeepProfile, kind: Waiting, side: int) -> Html:
    drawing = _Drawing.of(deep, kind, side)
    frames = list(drawing.frames())
    height = _ROW_PX * (1 + max(depth for depth, _ in frames))
    title = f"{deep.titles[side]} {KINDS[kind]}, milliseconds per transaction"
    profile = (deep.left, deep.right)[side]
    stacks = profile.on_cpu if kind == "on_cpu" else profile.off_cpu
    packed = base64.b64encode(gzip.compress(folded_text(stacks).encode(), mtime=0)).decode()
    download = element(
        "a",
        "folded stacks",
        href=f"data:application/gzip;base64,{packed}",
        download=f"{'-'.join(deep.titles[side].split())}-{kind}.folded.gz",
        title="for speedscope and other viewers",
    )
    return element(
        "figure",
        element("figcaption", element("span", title, class_="title"), element("span", download, class_="save")),
        element("p", _HOW_TO_READ, class_="flame-words", aria_live="polite"),
        element(
            "svg",
            *(frame for _, frame in frames),
            class_="flame",
            width="100%",
            height=height,
            role="group",
            aria_label=f"Flame graph: {title}. The table below lists the functions.",
        ),
        class_="panel flame-figure",
    )


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Describes one side's tree, and what its frames are compared with."""

    deep: DeepProfile
    kind: Waiting
    tree: Frame
    others: tuple[Frame, Frame]
    functions: dict[str, FunctionTimes]
    widest_ms: float
    scale_ms: float

    @classmethod
    def of(cls, deep: DeepProfile, kind: Waiting, side: int) -> _Drawing:
        comparison = deep.comparison(kind)
        assert comparison is not None, "the caller has looked"
        trees = (comparison.left, comparison.right)
        totals = [tree.total_ms for tree in trees]
        return cls(deep, kind, trees[side], trees, comparison.by_name(), max(totals), least_total(*totals))

    def frames(self) -> Iterator[tuple[int, Html]]:
        """Yield depth and drawing of each frame, from the root down."""
        pending = [(self.tree, 0, 0.0)]
        while pending:
            frame, depth, left_ms = pending.pop()
            yield depth, self._draw_frame(frame, depth, left_ms)
            children = []
            for child in frame.children.values():
                least_share = _LEAST_KERNEL_SHARE if child.name.endswith(KERNEL_MARK) else _LEAST_SHARE
                if child.total_ms >= least_share * self.widest_ms:
                    children.append((child, depth + 1, left_ms))
                left_ms += child.total_ms
            pending += reversed(children)

    def _draw_frame(self, frame: Frame, depth: int, left_ms: float) -> Html:
        left, right = self._both_times_ms(frame, depth)
        share = frame.total_ms / self.widest_ms
        has_difference = self._colour_step(left, right) and not is_unnamed(frame.name)
        sign = f" {ms_words(right - left, self.scale_ms, signed=True)}" if has_difference else ""
        name = frame.name or "whole time"
        return element(
            "svg",
            element("title", self._frame_title(frame, depth, left, right)),
            element("rect", width="100%", height="100%"),
            element("text", f"{name.strip('[]')}{sign}", x=4, y=13),
            class_=f"fr {self._frame_colour(frame, left, right)}{'' if share >= _LABEL_SHARE else ' narrow'}",
            x=f"{100 * left_ms / self.widest_ms:.3f}%",
            y=depth * _ROW_PX,
            width=f"{100 * share:.3f}%",
            height=_ROW_PX - 1,
            data_d=depth,
            tabindex=-1 if depth else 0,
            role="button",
        )

    def _both_times_ms(self, frame: Frame, depth: int) -> tuple[float, float]:
        """Return the frame's function on both sides, wherever it is called from; of groups of threads, the group."""
        if depth == 0:
            return self.others[0].total_ms, self.others[1].total_ms
        function = self.functions.get(same_function(frame.name))
        if function is not None and depth > 1:
            return function.left_total_ms, function.right_total_ms
        left, right = (tree.children.get(frame.name, Frame("")).total_ms for tree in self.others)
        return left, right

    def _colour_step(self, left: float, right: float) -> int:
        difference = right - left
        if abs(difference) <= self.deep.chance_ms(self.kind, left, right):
            return 0
        step = sum(abs(difference) >= share * self.scale_ms for share in _STEPS)
        return step if difference > 0 else -step

    def _frame_colour(self, frame: Frame, left: float, right: float) -> str:
        if is_unnamed(frame.name):
            return "fg"
        step = self._colour_step(left, right)
        return f"f{'r' if step > 0 else 'b'}{abs(step)}" if step else "f0"

    def _frame_title(self, frame: Frame, depth: int, left: float, right: float) -> str:
        name = function_words(frame.name) if frame.name else "Whole time"
        times = [ms_words(ms, self.scale_ms) for ms in (frame.total_ms, left, right)]
        difference = ms_words(right - left, self.scale_ms, signed=True)
        here_words = "" if depth < 2 else f" {times[0]} ms here."
        callers_words = "" if depth < 2 else "From all callers: "
        titles = self.deep.titles
        return (
            f"{name}:{here_words} {callers_words}{titles[0]} {times[1]} ms, {titles[1]} {times[2]} ms, {difference} ms."
        )
