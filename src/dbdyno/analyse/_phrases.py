"""Phrases numbers, comparisons and lists for sentences, with as many digits as the interval of a number supports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from dbdyno.core import counted as counted  # for modules that have all their words from here
from dbdyno.core import is_vague_ratio, short_percent

MOST_LISTED = 3
"""Names that a sentence lists; more are counted."""
_MOST_ENDS_RATIO = 4
_MULTIPLE_FROM = 3
_LISTED_MULTIPLE_FROM = 1.5
"""From where on a multiple is a multiple where the same sentence has another one; below, it would be "1.1 times"."""
_LEAST_PERCENT = 0.001
_AS = {"faster": "fast", "longer": "long", "higher": "high"}
_WHOLE_NUMBER = re.compile(r"(?<![\w.,-])\d+(?![\w.,])")
_UNKNOWN, _TOO_UNLIKE = "not known", "the runs are too unlike"


def supported(value: float, half_width: float) -> str:
    """Return a number rounded to the second digit of its half-width, thousands separated.

    >>> supported(4212.345, 127.0), supported(4212.345, 0.034), supported(92.751, 1.14)
    ('4,210', '4,212.345', '92.8')
    """
    digits = _digits(half_width)
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def plus_minus(value: float, low: float, high: float) -> str:
    """Return a mean with the larger side of its interval, both to the same digit; the ends where they are far apart.

    An interval of which one end is more than four times the other says nothing, and is not printed.

    >>> plus_minus(4212.345, 4085.0, 4340.0), plus_minus(260.0, 140.2, 420.4)
    ('4,210 ± 130', '260 [140 to 420]')
    >>> plus_minus(694.7, 0.2, 2_200_000.0)
    '695 (too uncertain for an interval)'
    """
    half = max(value - low, high - value)
    if high > _MOST_ENDS_RATIO * low:
        return f"{significant_words(value)} (too uncertain for an interval)"
    if half > 0.25 * value:
        return f"{supported(value, half)} [{supported(low, half)} to {supported(high, half)}]"
    return f"{supported(value, half)} ± {supported(half, half)}"


def half_width_words(half_width: float, mean: float) -> str:
    """Return how well a mean is known so far, as a share of it; no number where it may as well be zero.

    >>> half_width_words(3.4, 100.0), half_width_words(15.3, 10.0)
    ('±3.4 %', 'mean not yet known')
    """
    return f"±{short_percent(half_width / mean)}" if half_width < mean else "mean not yet known"


def significant_words(value: float) -> str:
    """Return a number without an interval, to three digits.

    >>> significant_words(54.69), significant_words(1308.2), significant_words(0.01234)
    ('54.7', '1,308', '0.0123')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    digits = max(2 - math.floor(math.log10(abs(value))), 0)
    return f"{value:,.{digits}f}"


def ratio_words(ratio: float, low: float, high: float) -> str:
    """Return a ratio with its interval; without a number where the interval says nothing.

    >>> ratio_words(1.3123, 1.241, 1.384), ratio_words(1.3, 0.0001, 5200.0)
    ('1.31, 1.24 to 1.38', 'not known, the runs are too unlike')
    """
    if is_vague_ratio(low, high):
        return f"{_UNKNOWN}, {_TOO_UNLIKE}"
    half = (high - low) / 2
    digits = 3 if half < 0.01 else 2 if half < 1 else 1
    numbers = [f"{end:.{digits}f}" if end >= 0.5 * 10**-digits else f"{end:.1g}" for end in (ratio, low, high)]
    return f"{numbers[0]}, {numbers[1]} to {numbers[2]}"


def slower_words(ratio: float, low: float, high: float) -> str:
    """Return how much slower the second of two is, from how many times as fast the first is; in percent.

    >>> slower_words(1.22, 1.16, 1.28), slower_words(1.05, 0.9, 1.2)
    ('18 % slower (14 to 22 %)', 'between 11 % faster and 17 % slower')
    >>> slower_words(1.004, 0.998, 1.01), slower_words(1.3, 0.0001, 5200.0)
    ('between 0.2 % faster and 1.0 % slower', 'slower or faster: the runs are too unlike to say')
    >>> slower_words(1.13, 0.998, 1.28)
    'between 0.2 % faster and 22 % slower'
    >>> slower_words(1.0, 0.36, 2.77)
    'between 178 % faster and 64 % slower'
    >>> slower_words(1.05, 1.0003, 1.1)
    '5 % slower (0.03 to 9 %)'
    """
    if is_vague_ratio(low, high) or low <= 0:
        return f"slower or faster: {_TOO_UNLIKE} to say"
    value, least, most = (100 * (1 - 1 / end) for end in (ratio, low, high))
    faster, slower = 100 * (1 / low - 1), 100 * (1 - 1 / high)
    is_near_zero = abs(value) < 2 and most - least < 10
    digits = 1 if most - least < 2 or is_near_zero else 0
    if least >= 0:
        words = [_percent_words(end, digits) for end in (value, least, most)]
        return f"{words[0]} % slower ({words[1]} to {words[2]} %)"
    if slower <= 0:
        words = [_percent_words(100 * (1 / end - 1), digits) for end in (ratio, high, low)]
        return f"{words[0]} % faster ({words[1]} to {words[2]} %)"
    words = [_percent_words(end, digits) for end in (faster, slower)]
    return f"between {words[0]} % faster and {words[1]} % slower"


def span_words(low: float, high: float, above: str = "faster", below: str = "slower") -> str:
    """Return between what the first of two may be, against the second: the interval of a ratio that is not decided.

    Parameters
    ----------
    above, below : what more and what less of it is called

    >>> span_words(0.95, 1.02), span_words(0.88, 0.9981), span_words(1.2, 1.4), span_words(0.0001, 5200.0)
    ('between 5 % slower and 2 % faster', '0.2 to 12 % slower', '20 to 40 % faster', 'the runs are too unlike to say')
    """
    return f"{_TOO_UNLIKE} to say" if is_vague_ratio(low, high) else common_span_words([(low, high)], above, below)


def common_span_words(intervals: Sequence[tuple[float, float]], above: str = "faster", below: str = "slower") -> str:
    """Return between what each of several may be: the interval that holds all of theirs, none of which is vague.

    >>> common_span_words([(0.95, 1.02), (0.9, 1.01)]), common_span_words([(0.2, 1.5), (0.9, 6.0)])
    ('each between 10 % slower and 2 % faster', 'each between 80 % slower and 500 % faster')
    """
    low, high = min(low for low, _ in intervals), max(high for _, high in intervals)
    each = "each " if len(intervals) > 1 else ""
    is_narrow = high - low < 0.02
    ends = [100 * abs(end - 1) for end in (low, high)]
    words = [_percent_words(end, 1 if is_narrow or end < 1 else 0) for end in ends]
    if low <= 1 <= high:
        return f"{each}between {words[0]} % {below} and {words[1]} % {above}"
    return each + (f"{words[0]} to {words[1]} % {above}" if low > 1 else f"{words[1]} to {words[0]} % {below}")


def multiple_from(ratios: Iterable[float]) -> float:
    """Return from which ratio on a sentence with all of these says multiples instead of percent.

    >>> multiple_from([2.96, 1.4]), multiple_from([3.04, 2.96])
    (3, 1.5)
    """
    return _LISTED_MULTIPLE_FROM if any(ratio >= _MULTIPLE_FROM for ratio in ratios) else _MULTIPLE_FROM


def faster_words(
    ratio: float,
    low: float,
    high: float,
    above: str = "faster",
    below: str = "slower",
    *,
    multiple_from: float = _MULTIPLE_FROM,
) -> tuple[str, str]:
    """Return how the first of two compares with the second, up to its name, and the interval.

    Parameters
    ----------
    ratio, low, high : first over second with its 95 % interval
    above, below : what more and what less of it is called
    multiple_from : of a sentence that has several such phrases, see `multiple_from`

    From three times as much on, a multiple is easier to read than percent. The interval must lie on one side of 1.

    >>> faster_words(1.22, 1.16, 1.28), faster_words(0.82, 0.78, 0.86)
    (('22 % faster than', '16 to 28 %'), ('18 % slower than', '14 to 22 %'))
    >>> faster_words(27.0, 25.1, 29.1), faster_words(3.21, 3.0, 3.4, "longer", "shorter")
    (('27 times as fast as', '25 to 29'), ('3.2 times as long as', '3.0 to 3.4'))
    >>> faster_words(2.96, 2.5, 3.4), faster_words(2.96, 2.5, 3.4, multiple_from=1.5)
    (('196 % faster than', '150 to 240 %'), ('3.0 times as fast as', '2.5 to 3.4'))
    >>> faster_words(1.05, 1.0003, 1.1)
    ('5 % faster than', '0.03 to 10 %')
    """
    if ratio >= multiple_from:
        digits = 0 if high >= 10 else 1
        value, least, most = (f"{end:,.{digits}f}" for end in (ratio, low, high))
        return f"{value} times as {_AS[above]} as", f"{least} to {most}"
    shares = [100 * abs(end - 1) for end in (ratio, *((low, high) if ratio >= 1 else (high, low)))]
    digits = 1 if abs(shares[2] - shares[1]) < 2 or shares[0] < 2 else 0
    value, least, most = (_percent_words(share, digits) for share in shares)
    return f"{value} % {above if ratio >= 1 else below} than", f"{least} to {most} %"


def _percent_words(percent: float, digits: int) -> str:
    """Return a percentage, not below 0; one that would be rounded to 0 has its first digit, as it is not 0."""
    return f"{percent:.1g}" if _is_hidden(percent, digits) else f"{percent:,.{digits}f}"


def _is_hidden(percent: float, digits: int) -> bool:
    return round(percent, digits) == 0 and abs(percent) >= _LEAST_PERCENT


def listed(words: Sequence[str]) -> str:
    """Return words joined as in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def listed_or_counted(words: Sequence[str], noun: str) -> str:
    """Return words joined as in a sentence; of more than three, how many there are.

    >>> listed_or_counted(["a", "b"], "target"), listed_or_counted("abcd", "other target")
    ('a and b', '4 other targets')
    """
    return listed(words) if len(words) <= MOST_LISTED else counted(len(words), noun)


def merged_reasons(reasons: Iterable[str]) -> tuple[str, ...]:
    """Return each reason once; those that differ in their whole numbers alone are one, with the range of each.

    Parameters
    ----------
    reasons : each one or several, separated by semicolons; empty ones count as none

    >>> merged_reasons(["12 % have no name", "", "9 % have no name; 3 are lost", "9 % have no name"])
    ('9 to 12 % have no name', '3 are lost')
    """
    numbers_by_form: dict[tuple[str, ...], list[list[str]]] = {}
    for reason in filter(None, (reason for text in reasons for reason in text.split("; "))):
        form = tuple(_WHOLE_NUMBER.split(reason))
        numbers_by_form.setdefault(form, []).append(_WHOLE_NUMBER.findall(reason))
    return tuple(_merged_reason(form, numbers) for form, numbers in numbers_by_form.items())


def _merged_reason(form: Sequence[str], numbers: Sequence[Sequence[str]]) -> str:
    spans = [sorted(set(each), key=int) for each in zip(*numbers, strict=True)]
    texts = [each[0] if len(each) == 1 else f"{each[0]} to {each[-1]}" for each in spans]
    return form[0] + "".join(text + rest for text, rest in zip(texts, form[1:], strict=True))


def _digits(half_width: float) -> int:
    """Return decimals that show two digits of a half-width; negative rounds before the point."""
    if not math.isfinite(half_width) or half_width <= 0:
        return 1
    return min(1 - math.floor(math.log10(half_width)), 6)


def change_words(ratio: float, low: float, high: float) -> str:
    """Return a ratio as a change in percent with its interval.

    >>> change_words(0.919, 0.901, 0.938), change_words(1.5, 0.9, 2.4)
    ('-8.1 % (-9.9 to -6.2)', '+50 % (-10 to +140)')
    >>> change_words(0.9999, 0.6, 1.64)
    '+0 % (-40 to +64)'
    >>> change_words(3.5, 0.001, 12000.0)
    'not known (the runs are too unlike)'
    >>> change_words(0.95, 0.91, 0.9998)
    '-5.0 % (-9.0 to -0.02)'
    """
    if is_vague_ratio(low, high):
        return f"{_UNKNOWN} ({_TOO_UNLIKE})"
    digits = 1 if high - low < 0.2 else 0
    value, *percents = (100 * (end - 1) for end in (ratio, low, high))
    ends = [f"{end:+.1g}" if _is_hidden(end, digits) else f"{end:+z,.{digits}f}" for end in percents]
    return f"{value:+z,.{digits}f} % ({ends[0]} to {ends[1]})"
