"""Says what differs in a results folder from what dbdyno wrote, where somebody uses it all the same."""

from __future__ import annotations

from dbdyno.core import Caveat
from dbdyno.store import Results

_MOST = 5


def altered_caveats(*folders: Results) -> list[Caveat]:
    """Return one caveat for each folder in which something is altered; it comes before all others."""
    return [
        Caveat(
            "results-altered",
            (
                f"{results.path} has changed since dbdyno wrote it and is used because of --allow-altered: "
                f"{_alterations_words(results)}."
            ),
        )
        for results in folders
        if results.alterations
    ]


def _alterations_words(results: Results) -> str:
    named = "; ".join(map(str, results.alterations[:_MOST]))
    rest_count = len(results.alterations) - _MOST
    return f"{named}; and {rest_count} more" if rest_count > 0 else named
