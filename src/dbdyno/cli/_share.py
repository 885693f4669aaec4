"""A share as it is typed: ``2%``."""

from __future__ import annotations

import re

from dbdyno.core import RequestError

_SHARE_RE = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def parse_share(text: str, what: str, example: str) -> float:
    """The share in a text.

    Parameters
    ----------
    what, example : for the error: what it is no such thing, and how it is written

    Raises
    ------
    RequestError : not a percentage between 0 and 100

    >>> parse_share("2%", "certainty", "--certainty 2%")
    0.02
    """
    match = _SHARE_RE.fullmatch(text.strip())
    if match is None or not 0 < float(match[1]) < 100:
        raise RequestError(f"'{text}' is no {what}", "", f"write for example {example}")
    return float(match[1]) / 100
