"""The option file of a tuned target, as somebody wrote it for a server."""

from __future__ import annotations

import hashlib
from pathlib import Path

from dbdyno.core import StudyError, read_input_text, words_of
from dbdyno.engines import read_option_file

_MOST_BYTES = 4 << 20


def read_options_file(path: Path) -> tuple[dict[str, str], str]:
    """What a file asks of the server, and the file's SHA-256.

    An option without a value is an empty text; of one given twice the last counts, as for the server. The groups of a
    server are read (``[mysqld]``, ``[server]``, ``[mariadb]``, with a version, too), those of clients are not.

    Raises
    ------
    StudyError : it can't be read, includes other files, has lines that are no options, or asks nothing of one
    """
    try:
        text = read_input_text(path, _MOST_BYTES)
    except (OSError, ValueError) as error:
        raise StudyError(
            f"option file {path} can't be read", words_of(error), "name a file beside the study file"
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
    written = read_option_file(text)
    for number, line in written.included:
        raise StudyError(f"{source}:{number}: other files are included", line, "write all options into the one file")
    for number, what in written.diagnostics:
        raise StudyError(f"{source}:{number}: {what}", "neither NAME nor NAME = VALUE", "mend the line, or take it out")
    for option in written.options:
        if not option.group:
            why = "an option before the first group, for which a server refuses the whole file"
            raise StudyError(f"{source}:{option.line}: '{option.name}' is for nobody", why, "write [mysqld] above it")
    return {_folded(option.name): "" if option.is_bare else option.value for option in written.options}


def _folded(name: str) -> str:
    # A loose option is one that a server may ignore: here it is asked for, or it is not.
    folded = name.lower().removeprefix("loose_").removeprefix("enable_")
    return f"skip_{folded.removeprefix('disable_')}" if folded.startswith("disable_") else folded
