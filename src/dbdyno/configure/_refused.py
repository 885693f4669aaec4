"""Why a server did not start, in the words of its logs: an option, a plug-in, or what came from below."""

from __future__ import annotations

import re

from dbdyno.configure._crash_report import CrashReport
from dbdyno.configure._plugin import plugin_error
from dbdyno.configure._server import Server
from dbdyno.configure._start_order import ALL_LINES, StartOrder
from dbdyno.core import ConfigureError
from dbdyno.engines import known_options, suggest

_FROM_BELOW = frozenset({"disk-full", "killed", "oom", "oom-limit"})
_REFUSED_RES = (
    re.compile(r"unknown (?:variable|option) '(?:--)?([\w-]+)"),
    re.compile(r"Error while setting value '[^']*' to '([\w-]+)'"),
    re.compile(r"(?:for|of) (?:variable|option) '([\w-]+)'", re.IGNORECASE),
)


def crash_at_start(server: Server, order: StartOrder) -> ConfigureError:
    """The error that the end of a server means which was being started."""
    words = order.words()
    title = order.installation.title
    death = server.autopsy()
    if death is not None and death.kind in _FROM_BELOW:  # what the server then says of its parts is not what is wrong
        return _dead(title, death, words)
    refused_plugin = plugin_error(order.words(ALL_LINES), order.installation)
    if refused_plugin is not None:  # its options are unknown then, which is not what is wrong
        return refused_plugin
    everything = order.words(ALL_LINES)  # old servers take a long leave after they have said why
    for pattern in _REFUSED_RES:
        match = pattern.search(everything)
        if match:
            option = match[1].replace("-", "_")
            near = suggest(option, known_options())
            if order.storage_engine != "innodb" and option.startswith(f"{order.storage_engine}_"):
                near = f"is the plug-in one of {order.storage_engine}, and of a version that has this option?"
            line = next(line for line in everything.splitlines() if match[0] in line)
            return ConfigureError(
                f"{title} refused the option {option}",
                line,
                near if option not in near else "correct its value, or remove it from the settings of the target",
            )
    return ConfigureError(f"{title} did not start", words, "") if death is None else _dead(title, death, words)


def _dead(title: str, death: CrashReport, words: str) -> ConfigureError:
    remedy = "choose a higher [limits] memory, or a smaller tier" if death.kind == "oom-limit" else ""
    return ConfigureError(f"{title} did not start: {death.words}", death.excerpt or words, remedy)
