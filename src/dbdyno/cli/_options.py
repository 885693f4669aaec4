"""Declares options that several commands have, and reads their values."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from dbdyno.core import RequestError
from dbdyno.nearest import nearest

if TYPE_CHECKING:
    from dbdyno.report import MismatchKind


def add_target_half_width(group: argparse._ArgumentGroup, whose: str) -> None:
    """Add the option that says how well a mean is to be known, and its earlier spelling."""
    group.add_argument("--target-half-width", metavar="SHARE", help=f"{whose}, such as 1%% (default 2%%)")
    group.add_argument("--certainty", default=argparse.SUPPRESS, dest="target_half_width", help=argparse.SUPPRESS)


def add_where(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses cells."""
    text = "only cells with this target, memory, connections, workload or route; several: A,B"
    parser.add_argument("--where", action="append", default=[], metavar="AXIS=VALUE", help=text)


def add_allow_mismatch(parser: argparse.ArgumentParser, verb: str) -> None:
    """Add the option to compare in spite of differences, and its earlier spelling."""
    text = f"{verb} although policy, workload, dataset, pacing, window or host differs (default: none)"
    parser.add_argument("--allow-mismatch", default="", metavar="KIND,..", help=text)
    parser.add_argument("--despite", default=argparse.SUPPRESS, dest="allow_mismatch", help=argparse.SUPPRESS)


def listed_mismatches(text: str) -> list[MismatchKind]:
    """Read the differences that a list with commas names.

    Raises
    ------
    RequestError : a word is none
    """
    from dbdyno.report import MISMATCH_KINDS  # late: see _main

    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in MISMATCH_KINDS:
            raise RequestError(
                f"'{word}' is not a difference that --allow-mismatch can allow",
                f"it takes {', '.join(MISMATCH_KINDS)}",
                nearest(word, list(MISMATCH_KINDS)),
            )
    return [kind for kind in MISMATCH_KINDS if kind in words]


_SHARE_RE = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def parse_share(text: str, what: str, example: str) -> float:
    """Return the share in a text.

    Parameters
    ----------
    what, example : for the error: what it is no such thing, and how it is written

    Raises
    ------
    RequestError : not a percentage between 0 and 100

    >>> parse_share("2%", "half-width", "--target-half-width 2%")
    0.02
    """
    match = _SHARE_RE.fullmatch(text.strip())
    if match is None or not 0 < float(match[1]) < 100:
        raise RequestError(f"'{text}' is not a valid {what}", "", f"write for example {example}")
    return float(match[1]) / 100
