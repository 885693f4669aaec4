"""The numbers of a sentence, so that a test holds them and not the words around them."""

from __future__ import annotations

import re

_NUMBER_RE = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w|\.\d)")


def numbers_in(text: str) -> list[float]:
    """Return numbers in their order; versions and other dotted names have none.

    >>> numbers_in("1,000.0 TPS of mysql 8.4.8 at 16 connections, 3 % less.")
    [1000.0, 16.0, 3.0]
    """
    return [float(number.replace(",", "")) for number in _NUMBER_RE.findall(text)]
