"""Slows a server's flushes and reads by a known time, with a dbdyno library that is loaded before its own."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from pathlib import Path

from dbdyno.core import NO_DELAYS, CallDelays, ConfigureError, HostError
from dbdyno.hosts import Host

_LIBRARY = "call_delays.so"
_COMPILE_S = 60
_ENDS_PATH = " :"
"""Signs that end a path in LD_PRELOAD; ld.so has no way to quote them."""
_REFUSED = "dbdyno can't slow a server on purpose here"


def delay_variables(delays: CallDelays, folders: Sequence[Path], host: Host) -> dict[str, str]:
    """Return variables of the server's process; libraries that its host preloads anyway follow dbdyno's.

    Parameters
    ----------
    folders : that the server can reach; the library is built in the first whose path ld.so can read

    Raises
    ------
    ConfigureError : there is no C compiler to build it with, or ld.so reads none of the folders
    """
    if delays == NO_DELAYS:
        return {}
    library = _library_path(folders)
    source = pkgutil.get_data("dbdyno.configure", "data/call_delays.c")
    argv = ["cc", "-shared", "-fPIC", "-O2", "-x", "c", "-o", str(library), "-"]
    try:
        host.run(argv, stdin=source, timeout_s=_COMPILE_S)
        host.run(["chmod", "0755", str(library)], timeout_s=_COMPILE_S)
        preloaded = host.run(["sh", "-c", 'printf %s "$LD_PRELOAD"'], timeout_s=_COMPILE_S).stdout
    except HostError as error:
        raise ConfigureError(
            f"{_REFUSED}: it can't build the library for it",
            str(error),
            "install a C compiler (Debian: gcc and libc6-dev), or remove flush_delay and read_delay",
        ) from error
    variables = {"LD_PRELOAD": f"{library}:{preloaded}" if preloaded else str(library)}
    if delays.flush_ns:
        variables["DBDYNO_FLUSH_DELAY_NS"] = str(delays.flush_ns)
    if delays.read_ns:
        variables["DBDYNO_READ_DELAY_NS"] = str(delays.read_ns)
    return variables


def check_delays(delays: CallDelays, pid: int, host: Host) -> None:
    """Check that a server that is to be slowed has the library: ld.so leaves out what it can't load.

    Raises
    ------
    ConfigureError : it has not
    """
    if delays == NO_DELAYS:
        return
    try:
        is_loaded = _LIBRARY in host.files.read_text(Path(f"/proc/{pid}/maps"))
        why = "it is not among the files that the process has mapped"
    except OSError as error:
        is_loaded, why = False, str(error)
    if not is_loaded:
        raise ConfigureError(
            f"{_REFUSED}: the server did not load {_LIBRARY}",
            why,
            "read what ld.so says in the server's output, or remove flush_delay and read_delay",
        )


def _library_path(folders: Sequence[Path]) -> Path:
    for folder in folders:
        if not set(_ENDS_PATH) & set(str(folder)):
            return folder / _LIBRARY
    raise ConfigureError(
        f"{_REFUSED}: ld.so can't load a library from {folders[0]}",
        "a space or a colon ends a path in LD_PRELOAD",
        "set DBDYNO_HOME to a folder without these in its path",
    )
