"""What may differ between two measurements and be let be: `--despite`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.core import RequestError

if TYPE_CHECKING:
    from dbdyno.report import MismatchKind


def listed_mismatches(text: str) -> list[MismatchKind]:
    """The obstacles that a list with commas names.

    Raises
    ------
    RequestError : a word is none
    """
    from dbdyno.report import MISMATCH_KINDS  # late: see _main
    from dbdyno.study import nearest

    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in MISMATCH_KINDS:
            raise RequestError(
                f"'{word}' is no obstacle",
                f"there are {', '.join(MISMATCH_KINDS)}",
                nearest(word, list(MISMATCH_KINDS)),
            )
    return [kind for kind in MISMATCH_KINDS if kind in words]
