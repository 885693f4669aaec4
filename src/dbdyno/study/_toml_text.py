"""Writes texts and numbers of a study file so that reading them gives the same."""

from __future__ import annotations

import json
from decimal import Decimal


def decimal_text(number: float) -> str:
    """Return a number in full, without an exponent and without zeros at its end.

    >>> decimal_text(99.0), decimal_text(90.0), decimal_text(99.99999), decimal_text(1e-05), decimal_text(1e22)
    ('99', '90', '99.99999', '0.00001', '10000000000000000000000')
    """
    return f"{Decimal(repr(float(number))).normalize():f}"


def float_text(number: float) -> str:
    """Return a number likewise, but with one decimal at least.

    >>> float_text(500.0), float_text(0.00001)
    ('500.0', '0.00001')
    """
    text = decimal_text(number)
    return text if "." in text else f"{text}.0"


def quoted(text: str) -> str:
    r"""Return a text as a TOML basic string: a JSON string, except DEL, which JSON leaves unescaped.

    >>> quoted("a\x7f")
    '"a\\u007f"'
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
