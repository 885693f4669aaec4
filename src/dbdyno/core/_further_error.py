"""Names errors of a server after which a transaction is repeated, by code and storage engine's own number."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CODE_MAX = 65_535
_TEXT_RE = re.compile(r"(?P<code>\d{1,5})(?:/(?P<cause>\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class RetriedError:
    """Describes an error after which transactions are repeated.

    Parameters
    ----------
    code : the server's
    cause : the storage engine's own number, the first one in the message of a code that covers many errors, such as 149
        in ``Got error 149 "Lock deadlock; Retry transaction" during COMMIT``; None: any message
    """

    code: int
    cause: int | None = None

    def __str__(self) -> str:
        """Format it as a study does.

        >>> str(RetriedError(1180, 149)), str(RetriedError(1296))
        ('1180/149', '1296')
        """
        return str(self.code) if self.cause is None else f"{self.code}/{self.cause}"

    def to_json(self) -> dict[str, int]:
        """Convert it to what a load order holds."""
        return {"code": self.code} | ({} if self.cause is None else {"cause": self.cause})


def parse_retried_error(value: object) -> RetriedError:
    """Return an error as a study writes it.

    Raises
    ------
    ValueError : it is no code; the text completes "must be ..."

    >>> parse_retried_error("1180/149"), parse_retried_error(1296)
    (RetriedError(code=1180, cause=149), RetriedError(code=1296, cause=None))
    """
    is_text_or_number = isinstance(value, str | int) and not isinstance(value, bool)
    match = _TEXT_RE.fullmatch(str(value).strip()) if is_text_or_number else None
    numbers = [int(text) for text in match.groups() if text is not None] if match is not None else []
    if not numbers or not all(0 < number <= _CODE_MAX for number in numbers):
        raise ValueError('error codes such as 1296, or "1180/149" with the number in its message')
    return RetriedError(*numbers)
