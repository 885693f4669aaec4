"""Names the word that was probably meant, for hints."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_MOST_BEGUN = 5


def nearest(word: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """A hint that names the nearest known word, or those that begin like it.

    Parameters
    ----------
    otherwise : the hint where no word is near; None: all of them

    >>> nearest("windw", ["window", "warm_up"])
    "did you mean 'window'?"
    >>> nearest("oltp", ["oltp_read_only", "oltp_read_write", "tpcc"])
    "did you mean 'oltp_read_only', 'oltp_read_write'?"
    >>> nearest("xyz", ["compare", "show"], "dbdyno -h lists the commands")
    'dbdyno -h lists the commands'
    """
    choices = sorted(set(known))
    begun = [choice for choice in choices if len(word) > 1 and choice.startswith(word.lower())]
    close = get_close_matches(word.lower(), choices, n=1, cutoff=0.6) or begun[:_MOST_BEGUN]
    if not close:
        return "use one of: " + ", ".join(choices) if otherwise is None else otherwise
    return "did you mean " + ", ".join(f"'{choice}'" for choice in close) + "?"
