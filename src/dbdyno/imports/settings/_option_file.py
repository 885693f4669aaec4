"""Option files of servers, read as far as a comparison needs: options of the server's own groups, last one wins."""

from __future__ import annotations

import re
from dataclasses import dataclass

_GROUP_RE = re.compile(r"\[\s*([^\]]*?)\s*\]")
_OPTION_RE = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)\s*(?:=\s*(.*))?", re.DOTALL)
_SERVER_RE = re.compile(r"mysqld(?:[-_.].*)?|mariadbd?(?:[-_.].*)?|server|percona.*|galera", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrittenOption:
    """An option as it was written: name with underscores, value as text (``ON`` for a bare one), line from 1."""

    name: str
    value: str
    line: int


def read_option_file(text: str) -> tuple[tuple[WrittenOption, ...], tuple[tuple[int, str], ...]]:
    r"""Options of the server, and lines that are none. Options before any group count as the server's.

    >>> read_option_file("[client]\nport=1\n[mysqld]\nsync-binlog = 1 # why\nskip_log_bin")[0]
    (WrittenOption(name='sync_binlog', value='1', line=4), WrittenOption(name='skip_log_bin', value='ON', line=5))
    """
    found: dict[str, WrittenOption] = {}
    wrong: list[tuple[int, str]] = []
    is_server = True
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line[0] in "#;!":
            continue
        group = _GROUP_RE.match(line)
        if group:
            is_server = _SERVER_RE.fullmatch(group[1]) is not None
            continue
        option = _OPTION_RE.fullmatch(line)
        if option is None:
            wrong.append((number, f"not an option: {line[:80]}"))
        elif is_server:
            name = option[1].replace("-", "_")
            found[name] = WrittenOption(name, _value(option[2]), number)
    return tuple(found.values()), tuple(wrong)


def _value(text: str | None) -> str:
    if text is None:
        return "ON"
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return re.split(r"\s+#", text, maxsplit=1)[0].strip()
