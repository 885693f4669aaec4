"""Slows a server's flushes and reads by a known time, with a dbdyno library that is loaded before its own."""

from __future__ import annotations

import pkgutil
from pathlib import Path

from dbdyno.core import NO_DELAYS, CallDelays, ConfigureError, HostError
from dbdyno.hosts import Host

_LIBRARY = "call_delays.so"
_COMPILE_S = 60


def delay_variables(delays: CallDelays, folder: Path, host: Host) -> dict[str, str]:
    """Return variables of the server's process; the library is built into a folder that the server can reach.

    Raises
    ------
    ConfigureError : there is no C compiler to build it with
    """
    if delays == NO_DELAYS:
        return {}
    library = folder / _LIBRARY
    source = pkgutil.get_data("dbdyno.configure", "data/call_delays.c")
    argv = ["cc", "-shared", "-fPIC", "-O2", "-x", "c", "-o", str(library), "-"]
    try:
        host.run(argv, stdin=source, timeout_s=_COMPILE_S)
        host.run(["chmod", "0755", str(library)], timeout_s=_COMPILE_S)
    except HostError as error:
        raise ConfigureError(
            "dbdyno can't slow a server on purpose here: it can't build the library for it",
            str(error),
            "install a C compiler (Debian: gcc and libc6-dev), or remove flush_delay and read_delay",
        ) from error
    variables = {"LD_PRELOAD": str(library)}
    if delays.flush_ns:
        variables["DBDYNO_FLUSH_DELAY_NS"] = str(delays.flush_ns)
    if delays.read_ns:
        variables["DBDYNO_READ_DELAY_NS"] = str(delays.read_ns)
    return variables
