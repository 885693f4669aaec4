"""Numbers as people read them, with as many digits as their interval supports."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percent_words(share: float, *, signed: bool = False) -> str:
    """A share to two digits, and as a whole number from 100 % on.

    >>> percent_words(0.0123), percent_words(4.9), percent_words(0.5, signed=True)
    ('1.2 %', '490 %', '+50 %')
    """
    percent = 100 * share
    digits = ",.0f" if abs(percent) >= 100 else ".2g"
    return f"{percent:{'+' if signed else ''}{digits}} %"


def supported(value: float, half_width: float) -> str:
    """A number rounded to the second digit of its half-width, thousands separated.

    >>> supported(4212.345, 127.0), supported(4212.345, 0.034), supported(92.751, 1.14)
    ('4,210', '4,212.345', '92.8')
    """
    digits = _digits(half_width)
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def plus_minus(value: float, low: float, high: float) -> str:
    """A mean with the larger side of its interval, both to the same digit; the ends where they are far apart.

    >>> plus_minus(4212.345, 4085.0, 4340.0), plus_minus(260.0, 94.2, 720.4)
    ('4,210 ± 130', '260 [90 to 720]')
    """
    half = max(value - low, high - value)
    if half > 0.25 * value:
        return f"{supported(value, half)} [{supported(low, half)} to {supported(high, half)}]"
    return f"{supported(value, half)} ± {supported(half, half)}"


def ratio_words(ratio: float, low: float, high: float) -> str:
    """A ratio with its interval.

    >>> ratio_words(1.3123, 1.241, 1.384), ratio_words(1.3, 0.0001, 5200.0)
    ('1.31, 1.24 to 1.38', '1.3, 0.0001 to over 1,000')
    """
    half = (high - low) / 2
    digits = 3 if half < 0.01 else 2 if half < 1 else 1
    shown = [f"{end:.{digits}f}" if end >= 0.5 * 10**-digits or end == 0 else f"{end:.1g}" for end in (ratio, low)]
    top = "over 1,000" if high > 1000 else f"{high:,.{digits}f}"
    return f"{shown[0]}, {shown[1]} to {top}"


def listed(words: Sequence[str]) -> str:
    """Words joined as in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun.

    >>> counted(1, "run"), counted(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def _digits(half_width: float) -> int:
    """Decimals that show two digits of a half-width; negative rounds before the point."""
    if not math.isfinite(half_width) or half_width <= 0:
        return 1
    return min(1 - math.floor(math.log10(half_width)), 6)


def change_words(ratio: float, low: float, high: float) -> str:
    """A ratio as a change in percent with its interval.

    >>> change_words(0.919, 0.901, 0.938), change_words(1.5, 0.9, 2.4)
    ('-8.1 % (-9.9 to -6.2)', '+50 % (-10 to +140)')
    """
    digits = 1 if high - low < 0.2 else 0
    value, lower, upper = (100 * (end - 1) for end in (ratio, low, high))
    top = f"{upper:+,.{digits}f}" if upper <= 10_000 else "over +10,000"
    return f"{value:+,.{digits}f} % ({lower:+,.{digits}f} to {top})"
