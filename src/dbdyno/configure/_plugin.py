"""A storage engine's plug-in that a server did not take: which, why, and what helps. Pure."""

from __future__ import annotations

import re

from dbdyno.configure._engine import Engine
from dbdyno.core import ConfigureError

# What servers say, and what it means; the first that fits is told. {0} is the plug-in's file or name.
_COMPLAINTS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (
        re.compile(
            r"Loading of (?P<maturity>\w+) plugin (?P<plugin>\S+) is prohibited by --plugin-maturity=(?P<least>\w+)"
        ),
        "does not load the plug-in {plugin}, which calls itself {maturity}",
        'set plugin_maturity = "{maturity}" for the target',
    ),
    (
        re.compile(r"Can't open shared library '(?P<plugin>[^']+)' \([^)]*?,? ?undefined symbol: (?P<symbol>[^)\s]+)"),
        "can't load the plug-in {plugin}: it is built for another version",
        "build it from the sources of exactly {server}, or choose the server it was built for",
    ),
    (
        re.compile(
            r"Can't open shared library '(?P<plugin>[^']+)' \([^)]*?(?P<library>lib[\w.+-]+\.so[\w.]*): cannot open"
        ),
        "can't load the plug-in {plugin}: it wants the library {library}",
        "put {library} beside the plug-in's file",
    ),
    (
        re.compile(r"Can't open shared library '(?P<plugin>[^']+)'"),
        "can't load the plug-in {plugin}",
        "",
    ),
    (
        re.compile(r"Can't find symbol '\w+' in library '(?P<plugin>[^']+)'"),
        "finds no plug-in in {plugin}",
        "give the ha_*.so of the storage engine, built for {server}",
    ),
    (
        re.compile(
            r"API version for (?P<kind>.+?) plugin '?(?P<plugin>[^\s']+)'? (?:is )?(?:too different|not supported)"
        ),
        "can't load the plug-in {plugin}: it is built for another version",
        "build it from the sources of exactly {server}, or choose the server it was built for",
    ),
    (
        re.compile(r"Plugin '(?P<plugin>[^']+)' init function returned error"),
        "can't start the storage engine {plugin}",
        "the lines before say why; its options are under the target's settings",
    ),
    (
        re.compile(r"Plugin '(?P<plugin>[^']+)' registration as a STORAGE ENGINE failed"),
        "can't start the storage engine {plugin}",
        "the lines before say why; its options are under the target's settings",
    ),
)


def plugin_error(words: str, installation: Engine) -> ConfigureError | None:
    """Why the log says that a plug-in was not taken; None when it does not say so."""
    for pattern, what, remedy in _COMPLAINTS:
        match = pattern.search(words)
        if match is None or match["plugin"].lower() == "innodb":  # built in: its log says better why it did not start
            continue
        found = {"server": installation.title, **match.groupdict()}
        found["plugin"] = found["plugin"].rpartition("/")[2]
        if "maturity" in found:
            found["maturity"] = found["maturity"].lower()
        line = next(line for line in words.splitlines() if match[0] in line)
        before = "\n".join(_before(words, line)) if "init function" in match[0] else ""
        return ConfigureError(
            f"{installation.title} {what.format(**found)}", f"{before}\n{line}".strip(), remedy.format(**found)
        )
    return None


def absent_engine(storage_engine: str, there: list[str], words: str, installation: Engine) -> ConfigureError:
    """A server that runs, but without the storage engine that was asked for."""
    return plugin_error(words, installation) or ConfigureError(
        f"{installation.title} has no storage engine {storage_engine}",
        f"it has: {', '.join(sorted(there))}",
        "write the name that its plug-in gives itself after the +" if storage_engine else "",
    )


def _before(words: str, line: str) -> list[str]:
    lines = words.splitlines()
    return [text for text in lines[: lines.index(line)] if "ERROR" in text][-4:]
