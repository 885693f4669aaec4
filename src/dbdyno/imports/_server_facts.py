"""Reads what a server's files say: variables, status, the option file. Keeps each for a while."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import StudyError, parse_bytes
from dbdyno.engines import ServerIdentity, WrittenOption, identify, read_dump, read_option_file
from dbdyno.imports._diagnostic import Diagnostic
from dbdyno.imports._file_text import FileText, read_file_text
from dbdyno.imports._tree import Kind
from dbdyno.store import SettingRow, server_files

_MOST_COMPLAINTS = 20
_LOG_TAIL = 64 * 1024
_SUMMARY_VERSION_RE = re.compile(r"^ *Version \| (\S+)(?: (.*))?$", re.MULTILINE)
_SECRET = r"(?:password|passwd|pwd|secret|sst[_-]auth)"
_SECRET_RE = re.compile(rf"{_SECRET}$", re.IGNORECASE)
_SECRET_LINE_RE = re.compile(rf"(?im)^([\s#;]*[\w.-]*{_SECRET}\s*=\s*).+$")
_HIDDEN = "(left out)"


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """Describes one file with what was read from it; only the fields of its kind are filled."""

    path: str
    sha256: str
    size: int
    text: str = ""
    values: Mapping[str, str] | None = None
    options: tuple[WrittenOption, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@functools.lru_cache(maxsize=128)
def read_settings(root: Path, path: str, kind: Kind) -> SettingsFile:
    """Read a file of a server's settings; what can't be read comes as diagnostics."""
    try:
        content = read_file_text(root / path)
    except OSError as error:
        return SettingsFile(
            path, "", 0, diagnostics=(Diagnostic(path, 1, f"can't be read: {error.strerror or error}"),)
        )
    problems = list(content.diagnostics)
    if not content.text.strip() and not problems:
        problems.append((1, "the file is empty"))
    return _settings_file(path, kind, content, problems)


def _settings_file(path: str, kind: Kind, content: FileText, problems: list[tuple[int, str]]) -> SettingsFile:
    values: Mapping[str, str] | None = None
    options: tuple[WrittenOption, ...] = ()
    text = ""
    if kind in ("variables", "status"):
        dump = read_dump(content.text)
        values = {name: stored_value(name, value) for name, value in dump.values.items()}
        problems += dump.diagnostics
    elif kind == "option-file":
        option_file = read_option_file(content.text)
        options = tuple({option.name: option for option in option_file.options}.values())  # the last value counts
        text = _remove_secrets(content.text)
        problems += option_file.diagnostics
    else:
        text = content.text
    diagnostics = tuple(Diagnostic(path, line, words) for line, words in problems[:_MOST_COMPLAINTS])
    return SettingsFile(path, content.sha256, content.size, text, values, options, diagnostics)


def identity_of(variables: Mapping[str, str], summary: str = "") -> ServerIdentity | None:
    """Return who a server is, by its variables or by Percona Toolkit's summary; None if neither shows it."""
    version, comment = variables.get("version", ""), variables.get("version_comment", "")
    match = _SUMMARY_VERSION_RE.search(summary) if not version else None
    if match:
        version, comment = match[1], match[2] or ""
    try:
        return identify(version, comment, frozenset(variables)) if version else None
    except StudyError:
        return None


@functools.lru_cache(maxsize=32)
def server_files_of(root: Path, paths: tuple[tuple[Kind, str], ...]) -> Mapping[str, bytes]:
    """Return what the store keeps of a server by its files, the same for all runs next to which they lie.

    Parameters
    ----------
    paths : kind and path of each, sorted
    """
    files = {kind: read_settings(root, path, kind) for kind, path in paths}
    nothing = SettingsFile("", "", 0)
    options = files.get("option-file", nothing)
    variables = files.get("variables", nothing).values or {}
    return server_files(
        variables=variables,
        status_before=files.get("status", nothing).values or {},
        settings=_setting_rows(options.options, variables),
        server_cnf=options.text,
        server_log=files.get("server-log", nothing).text[-_LOG_TAIL:],
    )


def _setting_rows(options: tuple[WrittenOption, ...], variables: Mapping[str, str]) -> list[SettingRow]:
    """Return options of an option file next to what the server said they were."""
    return [
        SettingRow(
            option.name,
            stored_value(option.name, option.value),
            _effective_value(option, variables),
            "written in the option file",
            source="option file",
        )
        for option in options
    ]


def _effective_value(option: WrittenOption, variables: Mapping[str, str]) -> str | None:
    """Return the server's value; as it was written where both are the same number of bytes or the same switch."""
    name = option.name.removeprefix("loose_")
    value = variables.get(name)
    if value is None and name.startswith("skip_"):
        value = {"OFF": "ON", "ON": "OFF", "0": "ON", "1": "OFF"}.get(variables.get(name.removeprefix("skip_"), ""))
    if value is None:
        return None
    return option.value if _plain_value(option.value) == _plain_value(value) else value


def _plain_value(value: str) -> str:
    spelling = {"on": "1", "true": "1", "yes": "1", "off": "0", "false": "0", "no": "0"}.get(
        value.lower(), value.lower()
    )
    if re.fullmatch(r"\d{1,12}[kmgt]b?", spelling):
        try:
            return str(parse_bytes(spelling))
        except StudyError:
            return spelling
    return spelling


def stored_value(name: str, value: str) -> str:
    """Return the value of an option as the store may keep it: no password.

    >>> stored_value("report_password", "x"), stored_value("disconnect_on_expired_password", "ON")
    ('(left out)', 'ON')
    """
    is_switch = value.strip().lower() in ("", "on", "off", "0", "1", "yes", "no", "default")
    return _HIDDEN if _SECRET_RE.search(name) and not is_switch else value


def _remove_secrets(text: str) -> str:
    return _SECRET_LINE_RE.sub(rf"\1{_HIDDEN}", text)
