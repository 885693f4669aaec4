"""Decides when a started server is ready (it lets us in, is ours, has its settings), and else says why not."""

from __future__ import annotations

import re
import time

from dbdyno.configure._crash_report import CrashReport
from dbdyno.configure._engine import Engine
from dbdyno.configure._options import Setting
from dbdyno.configure._readback import read_back
from dbdyno.configure._server import Server
from dbdyno.configure._start_order import ALL_LINES, StartOrder
from dbdyno.connections import rows_of
from dbdyno.core import ConfigureError
from dbdyno.engines import known_options, matches
from dbdyno.hosts import Process
from dbdyno.nearest import nearest

# What servers say, the code and the words of what it means, and the remedy; the first that fits is reported.
_COMPLAINTS: tuple[tuple[re.Pattern[str], str, str, str], ...] = (
    (
        re.compile(
            r"Loading of (?P<maturity>\w+) plugin (?P<plugin>\S+) is prohibited by --plugin-maturity=(?P<least>\w+)"
        ),
        "plugin-immature",
        "does not load the plug-in {plugin} of maturity {maturity}",
        'set plugin_maturity = "{maturity}" for the target',
    ),
    (
        re.compile(r"Can't open shared library '(?P<plugin>[^']+)' \([^)]*?,? ?undefined symbol: (?P<symbol>[^)\s]+)"),
        "plugin-version",
        "can't load the plug-in {plugin}: it is built for another version",
        "build it from the sources of exactly {server}, or choose the server it was built for",
    ),
    (
        re.compile(
            r"Can't open shared library '(?P<plugin>[^']+)' \([^)]*?(?P<library>lib[\w.+-]+\.so[\w.]*): cannot open"
        ),
        "libraries-missing",
        "can't load the plug-in {plugin}: it needs the library {library}",
        "put {library} next to the plug-in's file",
    ),
    (
        re.compile(r"Can't open shared library '(?P<plugin>[^']+)'"),
        "plugin-unusable",
        "can't load the plug-in {plugin}",
        "",
    ),
    (
        re.compile(r"Can't find symbol '\w+' in library '(?P<plugin>[^']+)'"),
        "plugin-missing",
        "finds no plug-in in {plugin}",
        "name the ha_*.so of the storage engine, built for {server}",
    ),
    (
        re.compile(
            r"API version for (?P<kind>.+?) plugin '?(?P<plugin>[^\s']+)'? (?:is )?(?:too different|not supported)"
        ),
        "plugin-version",
        "can't load the plug-in {plugin}: it is built for another version",
        "build it from the sources of exactly {server}, or choose the server it was built for",
    ),
    (
        re.compile(r"Plugin '(?P<plugin>[^']+)' init function returned error"),
        "plugin-failed",
        "can't start the storage engine {plugin}",
        "the lines before say why; its options are under the target's settings",
    ),
    (
        re.compile(r"Plugin '(?P<plugin>[^']+)' registration as a STORAGE ENGINE failed"),
        "plugin-failed",
        "can't start the storage engine {plugin}",
        "the lines before say why; its options are under the target's settings",
    ),
)


def plugin_error(words: str, installation: Engine) -> ConfigureError | None:
    """Return why the log says that a plug-in was not taken; None when it does not say so."""
    for pattern, code, complaint, remedy in _COMPLAINTS:
        match = pattern.search(words)
        if match is None or match["plugin"].lower() == "innodb":  # built in: its log says better why it did not start
            continue
        facts = {"server": installation.title, **match.groupdict()}
        facts["plugin"] = facts["plugin"].rpartition("/")[2]
        if "maturity" in facts:
            facts["maturity"] = facts["maturity"].lower()
        line = next(line for line in words.splitlines() if match[0] in line)
        lines_before = "\n".join(_errors_before(words, line)) if "init function" in match[0] else ""
        return ConfigureError(
            f"{installation.title} {complaint.format(**facts)}",
            f"{lines_before}\n{line}".strip(),
            remedy.format(**facts),
            code=code,
        )
    return None


def absent_engine(storage_engine: str, there: list[str], words: str, installation: Engine) -> ConfigureError:
    """Return a server that runs, but without the storage engine that was asked for."""
    return plugin_error(words, installation) or ConfigureError(
        f"{installation.title} has no storage engine {storage_engine}",
        f"it has: {', '.join(sorted(there))}",
        "write the name that its plug-in declares after the +" if storage_engine else "",
        code="storage-engine-missing",
    )


def _errors_before(words: str, line: str) -> list[str]:
    lines = words.splitlines()
    return [text for text in lines[: lines.index(line)] if "ERROR" in text][-4:]


_FROM_BELOW = frozenset({"disk-full", "killed", "oom", "oom-limit"})
_REFUSED_RES = (
    re.compile(r"unknown (?:variable|option) '(?:--)?([\w-]+)"),
    re.compile(r"Error while setting value '[^']*' to '([\w-]+)'"),
    re.compile(r"(?:for|of) (?:variable|option) '([\w-]+)'", re.IGNORECASE),
)


def crash_at_start(server: Server, order: StartOrder) -> ConfigureError:
    """Return the error that the end of a server means which was being started."""
    words = order.words()
    title = order.installation.title
    crash = server.diagnose_exit()
    if crash is not None and crash.kind in _FROM_BELOW:  # later messages about plugins are only a consequence
        return _crash_error(title, crash, words)
    refused_plugin = plugin_error(order.words(ALL_LINES), order.installation)
    if refused_plugin is not None:  # its unknown options are only a consequence
        return refused_plugin
    log_words = order.words(ALL_LINES)  # old servers take long to exit after they have printed the reason
    for pattern in _REFUSED_RES:
        match = pattern.search(log_words)
        if match:
            option = match[1].replace("-", "_")
            suggestion = nearest(option, known_options(), "")
            if order.storage_engine != "innodb" and option.startswith(f"{order.storage_engine}_"):
                suggestion = f"check that the plug-in is {order.storage_engine} and that its version has this option"
            line = next(line for line in log_words.splitlines() if match[0] in line)
            return ConfigureError(
                f"{title} refused the option {option}",
                line,
                suggestion
                if option not in suggestion
                else "correct its value, or remove it from the settings of the target",
                code="option-refused",
            )
    return (
        ConfigureError(f"{title} did not start", words, "", code="not-started")
        if crash is None
        else _crash_error(title, crash, words)
    )


def _crash_error(title: str, crash: CrashReport, words: str) -> ConfigureError:
    remedy = "choose a higher [limits] memory, or a smaller tier" if crash.kind == "oom-limit" else ""
    return ConfigureError(f"{title} did not start: {crash.words}", crash.excerpt or words, remedy, code=crash.kind)


_POLL_S = 0.05
_SETTLE_S = 10.0


def await_login(server: Server, process: Process, order: StartOrder) -> None:
    """Wait until the administrator can log in: a socket alone may belong to a server that is not ready."""
    deadline = time.monotonic() + order.timeout_s
    while True:
        try:
            server.connect().close()
            check_listener(server.listener_pid, process, order)
        except ConfigureError as error:
            if process.poll() is not None:
                raise crash_at_start(server, order) from error
            if (hang_reason := server.hang_reason()) is not None:
                raise ConfigureError(hang_reason, order.words()) from error
            if time.monotonic() >= deadline:
                raise ConfigureError(
                    f"{order.installation.title} refused connections for {order.timeout_s:g} s",
                    f"{error.why}\n{order.words()}",
                    "see its log above; a slow disk may need more time",
                ) from error
            time.sleep(_POLL_S)
        else:
            return


def check_storage_engine(server: Server, order: StartOrder) -> None:
    """Check the storage engine: a server starts without a plug-in that it refused if no option of it is given."""
    server_engines = server.storage_engines()
    if order.storage_engine not in server_engines:
        raise absent_engine(order.storage_engine, server_engines, order.words(ALL_LINES), order.installation)
    version = server.plugin(order.storage_engine).get("version", "")
    if version and order.plugin_version and not matches(version, order.plugin_version):
        raise ConfigureError(
            f"the plug-in of {order.storage_engine} is not of version {order.plugin_version}",
            f"the server reports {version}, but its options are for {order.plugin_version}",
            f'remove plugin_version, or write plugin_version = "{version}"',
            code="plugin-version",
        )


def check_listener(pid: int | None, process: Process, order: StartOrder) -> None:
    """Check that the process at the other end of the socket is the one that was started, as the kernel reports it."""
    if pid not in (0, process.pid):  # 0: it lives in a namespace that is not seen from there
        raise ConfigureError(
            f"another server answers on the socket of {order.installation.title}",
            f"process {pid} listens, but dbdyno started process {process.pid}",
            code="other-server",
        )


def check_port(server: Server) -> None:
    """Check that the server behind the port is the one behind the socket: another may have taken it first."""
    with server.connect(as_load_user=True) as load, load.cursor() as cursor:
        cursor.execute("SELECT @@socket, @@port")
        rows = rows_of(cursor, 2)
    with server.connect() as administrator, administrator.cursor() as cursor:
        cursor.execute("SELECT @@socket, @@port")
        if rows_of(cursor, 2) != rows:
            raise ConfigureError(
                f"another server answers on port {server.endpoint.port}",
                f"its socket is {rows[0][0] if rows else 'unknown'}",
                code="other-server",
            )


def settings_read_back(server: Server, order: StartOrder) -> tuple[Setting, ...]:
    """Compare settings; what a server still works at in the background (a resized redo log) gets a moment."""
    deadline = time.monotonic() + _SETTLE_S
    while True:
        try:
            return read_back(
                order.settings,
                server.variables(),
                server.status(),
                family=order.installation.family,
                version=order.installation.version,
            )
        except ConfigureError as error:
            if time.monotonic() >= deadline or "innodb_redo_log_capacity" not in error.what:
                raise
            time.sleep(_POLL_S)
