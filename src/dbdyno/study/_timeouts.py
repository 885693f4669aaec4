"""How long a server, and the way to it, may be silent before a study gives up on them."""

from __future__ import annotations

from dataclasses import dataclass

SECOND_NS = 10**9


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Times after which something counts as lost or undecided.

    Parameters
    ----------
    path_ns : nothing that is sent to another host is acknowledged; then the connection is lost
    answer_ns : a statement of the load is without any byte of an answer; then its connection is lost; None: never
    check_ns : of a query that reads whole tables; None: an hour for the sums of a table that was filled, without which
        the filling fails; ten minutes for a condition between tables, which is undecided then
    """

    path_ns: int = 10 * SECOND_NS
    answer_ns: int | None = 300 * SECOND_NS
    check_ns: int | None = None

    def check_words(self) -> list[str]:
        """The option of the load generator for such queries.

        >>> Timeouts(check_ns=90_000_000_000).check_words(), Timeouts().check_words()
        (['--check-timeout=90s'], [])
        """
        return [] if self.check_ns is None else [f"--check-timeout={self.check_ns // SECOND_NS}s"]


USUAL = Timeouts()
