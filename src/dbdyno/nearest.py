"""Names the word that was probably meant, for hints."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_MOST_BEGUN = 5


def nearest(word: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """Return a hint that names the nearest known word, or those that begin like it.

    Parameters
    ----------
    otherwise : the hint where no word is near; None: all of them

    >>> nearest("windw", ["window", "warm_up"])
    "did you mean 'window'?"
    >>> nearest("oltp", ["oltp_read_only", "oltp_read_write", "tpcc"])
    "did you mean 'oltp_read_only', 'oltp_read_write'?"
    >>> nearest("xyz", ["compare", "show"], "dbdyno -h lists the commands")
    'dbdyno -h lists the commands'
    >>> nearest("--where", ["--help", "--json"], ""), nearest("--jsn", ["--help", "--json"], "")
    ('', "did you mean '--json'?")
    """
    choices = sorted(set(known))
    begun = [choice for choice in choices if len(word) > 1 and choice.startswith(word.lower())]
    near = nearest_word(word, choices)
    close = [near] if near else begun[:_MOST_BEGUN]
    if not close:
        return "use one of: " + ", ".join(choices) if otherwise is None else otherwise
    return "did you mean " + ", ".join(f"'{choice}'" for choice in close) + "?"


def nearest_word(word: str, known: Iterable[str]) -> str:
    """Return the known word that is most like another; empty where none is near.

    >>> nearest_word("hlep", ["help", "show"]), nearest_word("--where", ["--help"])
    ('help', '')
    """
    by_bare_word = {choice.lstrip("-"): choice for choice in known}  # two dashes alike are no likeness
    close = get_close_matches(word.lower().lstrip("-"), by_bare_word, n=1, cutoff=0.6)
    return by_bare_word[close[0]] if close else ""
