"""Numbers that people read have no exponent, however large they are, and say nothing where they mean nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dbdyno.analyse import assumed_words, verdict_words
from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._limitations_of_repeats import few_repeats_caveat, raised_repeats_caveat
from dbdyno.analyse._words import wave_words
from dbdyno.analyse.claims._result import within
from dbdyno.cli._plan_precision import _difference_words, _half_width_words
from dbdyno.cli._progress import _noise_words
from dbdyno.core import short_number, short_percent
from dbdyno.report.charts._upgrades import _brief_change
from dbdyno.stats import Course, StopCheck
from sentences import SOURCE

VALUES = (0.0123, 0.5, 0.9951, 0.9999, 1.53, 9.96, 52.0, 1_234.0, 5.2e6)
"""As shares: from 1.2 % over the places where two digits become an exponent to 520,000,000 %."""
_EXPONENT_RE = re.compile(r"\de[+-]?\d|inf|nan")


def _live_words(share: float) -> str:
    check = StopCheck(at_s=130, start_s=0, mean=10.0, half_width=10.0 * share, ess=40.0, drift=0.0)
    return verdict_words(Course(seen_s=130, warm_up_s=60, settled=True, last_check=check))


def _single_run_words(share: float) -> str:
    judgement = SimpleNamespace(trusted=True, judged=[None], assumed_spread=share)
    caveat = few_repeats_caveat(1, [cast("CellJudgement", judgement)])
    assert caveat is not None
    return caveat.text


def _added_repeats_words(share: float) -> str:
    caveat = raised_repeats_caveat(tuple(range(1, 2 + min(int(100 * share), 1_000))))
    assert caveat is not None
    return caveat.text


def _wave_words(share: float) -> str:
    wave = SimpleNamespace(is_wave=True, period_s=1_000 * share, share=0.5)
    return wave_words(cast("Any", SimpleNamespace(state=SimpleNamespace(period=wave))))


WORDS: dict[str, Callable[[float], str]] = {
    "short_percent": short_percent,
    "short_number": short_number,
    "the live line of a window": _live_words,
    "the line of a run": _noise_words,
    "an assumed spread": assumed_words,
    "cells with one run": _single_run_words,
    "repeats that were added": _added_repeats_words,
    "a wave": _wave_words,
    "a claim above": lambda share: within(10.0 + 10.0 * share, 0.0, 10.0, 9.99, 10.01).reason,
    "a claim below": lambda share: within(10.0 - 10.0 * share, 0.0, 10.0, 9.99, 10.01).reason,
    "a claim of what is zero": lambda share: within(share, 0.0, 0.0, 0.0, 0.0).reason,
    "a plan's half-width": _half_width_words,
    "a plan's difference": _difference_words,
    "an upgrade": lambda share: _brief_change(1 + share),
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_no_number_has_an_exponent(words: Callable[[float], str]) -> None:
    shown = [words(value) for value in VALUES]
    assert [text for text in shown if _EXPONENT_RE.search(text)] == []
    assert all(re.search(r"\d", text) or "too noisy" in text or "not yet" in text for text in shown)


@pytest.mark.parametrize("words", [_live_words, _noise_words])
def test_a_mean_that_may_as_well_be_zero_has_no_half_width(words: Callable[[float], str]) -> None:
    assert "%" in words(0.99)
    assert not any("%" in words(value) for value in VALUES if value >= 1)


def test_no_percentage_is_formatted_with_significant_digits_alone() -> None:
    """From 99.5 % on, `:.2g` makes `1e+02` of it; `short_percent` does not."""
    found = [
        f"{path.relative_to(SOURCE)}:{text.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        for text in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(text, ast.JoinedStr)
        for field, after in zip(text.values, text.values[1:], strict=False)
        if isinstance(field, ast.FormattedValue)
        and isinstance(after, ast.Constant)
        and str(after.value).startswith((" %", "%"))
        and re.search(r"\.\dg'?$", ast.unparse(field.format_spec) if field.format_spec else "")
    ]
    assert found == []
