"""The option file of a tuned target, as somebody wrote it for a server."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from dbdyno.core import StudyError

_SERVER_GROUPS = re.compile(r"(mysqld|server|mariadb|mariadbd)([-_]?\d[\d.]*)?", re.IGNORECASE)


def read_options_file(path: Path) -> tuple[dict[str, str], str]:
    """What a file asks of the server, and the file's SHA-256.

    An option without a value is an empty text; of one given twice the last counts, as for the server. The groups of a
    server are read (``[mysqld]``, ``[server]``, ``[mariadb]``, with a version, too), those of clients are not.

    Raises
    ------
    StudyError : it can't be read, includes other files, or asks nothing of a server
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(
            f"option file {path} can't be read", str(error), "name a file beside the study file"
        ) from error
    options = parse_options(text, str(path))
    if not options:
        raise StudyError(f"option file {path} asks nothing of a server", "", "write the options below [mysqld]")
    return options, hashlib.sha256(text.encode()).hexdigest()


def parse_options(text: str, source: str) -> dict[str, str]:
    r"""Options of the server's groups, names with underscores.

    >>> parse_options("[mysqld]\nskip-log-bin\nsort-buffer-size = '256K' # each\n[client]\nuser = x\n", "x.cnf")
    {'skip_log_bin': '', 'sort_buffer_size': '256K'}
    """
    options: dict[str, str] = {}
    group = ""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if stripped[0] == "!":
            raise StudyError(
                f"{source}:{number}: other files are included", stripped, "write all options into the one file"
            )
        if stripped[0] == "[":
            group = stripped.partition("]")[0].strip("[] \t").lower()
        elif _SERVER_GROUPS.fullmatch(group):
            name, _, value = stripped.partition("=")
            options[_folded(re.split(r"\s[#;]", name)[0])] = _unquoted(value)
    return options


def _folded(name: str) -> str:
    # A loose option is one that a server may ignore: here it is asked for, or it is not.
    folded = name.strip().lstrip("-").replace("-", "_").lower().removeprefix("loose_").removeprefix("enable_")
    return f"skip_{folded.removeprefix('disable_')}" if folded.startswith("disable_") else folded


def _unquoted(text: str) -> str:
    value = text.strip()
    if value[:1] in ("'", '"') and value.find(value[0], 1) > 0:
        return value[1 : value.find(value[0], 1)]
    return re.split(r"\s[#;]", f" {value}")[0].strip()
