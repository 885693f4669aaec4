"""Reads the targets of a study file: engines with sources, plug-ins, containers, settings and option files."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dbdyno.core import (
    IMPORTED_SOURCE,
    CallDelays,
    ContainerChoice,
    EngineName,
    StudyError,
    Target,
    check_plugin,
    parse_engine_name,
    read_input_text,
    words_of,
)
from dbdyno.engines import SettingValue, family_names, nearest_family, read_option_file, vocabulary
from dbdyno.study import _schema
from dbdyno.study._places import ServerAddress
from dbdyno.study._settings import split_old
from dbdyno.study._tables import Tables, setting_line
from dbdyno.study._values import WorkloadChoice, concerns
from dbdyno.study._workloads import OptionValue

_MOST_BYTES = 4 << 20


def read_options_file(path: Path) -> tuple[dict[str, str | None], str]:
    """Return what a file asks of the server, and the file's SHA-256.

    An option of which only the name is there has no value (None), or an empty text if it begins with ``skip_``; of one
    given twice the last counts, as for the server. The groups of a server are read (``[mysqld]``, ``[server]``,
    ``[mariadb]``, with a version, too), those of clients are not.

    Raises
    ------
    StudyError : it can't be read, includes other files, has lines that are no options, or asks nothing of one
    """
    try:
        text = read_input_text(path, _MOST_BYTES, is_fixed=True)
    except (OSError, ValueError) as error:
        raise StudyError(
            f"option file {path} can't be read", words_of(error), "name a file next to the study file"
        ) from error
    options = parse_options(text, str(path))
    if not options:
        raise StudyError(f"option file {path} has no options for a server", "", "write the options below [mysqld]")
    return options, hashlib.sha256(text.encode()).hexdigest()


def parse_options(text: str, source: str) -> dict[str, str | None]:
    r"""Return options of the server's groups, names with underscores.

    >>> parse_options("[mysqld]\nskip-log-bin\nsort-buffer-size = '256K' # each\n[client]\nuser = x\n", "x.cnf")
    {'skip_log_bin': '', 'sort_buffer_size': '256K'}
    >>> parse_options("[mysqld]\nslow-query-log\nsql-mode =\n", "x.cnf")
    {'slow_query_log': None, 'sql_mode': ''}
    """
    option_file = read_option_file(text)
    for number, line in option_file.included:
        raise StudyError(f"{source}:{number}: it includes other files", line, "write all options into this file")
    for number, what in option_file.diagnostics:
        raise StudyError(f"{source}:{number}: {what}", "neither NAME nor NAME = VALUE", "correct or remove the line")
    for option in option_file.options:
        if not option.group:
            why = "it is before the first group, so a server refuses the whole file"
            raise StudyError(f"{source}:{option.line}: '{option.name}' is in no group", why, "write [mysqld] above it")
    options: dict[str, str | None] = {}
    for option in option_file.options:
        name = _fold_option(option.name)
        options[name] = option.value if not option.is_bare else "" if name.startswith("skip_") else None
    return options


def _fold_option(name: str) -> str:
    # A loose option is one that a server may ignore: here it is asked for, or it is not.
    folded = name.lower().removeprefix("loose_").removeprefix("enable_")
    return f"skip_{folded.removeprefix('disable_')}" if folded.startswith("disable_") else folded


@dataclass(frozen=True, slots=True)
class TargetsReader(Tables):
    """Reads ``targets`` and ``[[target]]``."""

    def targets(
        self,
        document: Mapping[str, Any],
        names: tuple[str, ...],
        storage_engines: tuple[str, ...],
        servers: Mapping[str, ServerAddress],
        workloads: Sequence[WorkloadChoice],
    ) -> tuple[Target, ...]:
        """Return all that the study compares, named, each of another name.

        Parameters
        ----------
        names : of engines, from the list at the top of the file
        storage_engines : each target once in each of them; empty: as it is written
        """
        targets = [Target("", self._engine(name, "", "targets")) for name in names]
        for index, entry in enumerate(self._list(document, "target")):
            settings, options = self._own_settings(entry, index)
            file_options = self._subtable(entry, "file_options", index)
            container = self._container(entry.pop("container", {}), index)
            workload_options = self._own_options(entry.pop("workload", {}), workloads, index)
            values = self._table(entry, "target", _schema.TARGET, index)
            engine = self._engine(values["engine"], "target", "engine", index)
            engine = self._with_sha256(engine, values["sha256"], index)
            engine = self._with_plugin(engine, values, index)
            delays = CallDelays(values["flush_delay"], values["read_delay"])
            self._check_slowdown(engine, values, index)
            if container != ContainerChoice() and engine.source_kind != "image":
                what = f"'{engine}' can't run in a container"
                self._fail("target", "container", what, remedy="write FAMILY:VERSION@image, or remove it", index=index)
            self._check_target_settings(settings, engine, storage_engines, index)
            share = values["throttled_share"]
            target = Target(
                values["name"], engine, settings, workload_options, share, container, options, delays=delays
            )
            targets.append(self._with_options_file(target, values, file_options, index))
        if not targets:
            self._fail("", "targets", "no targets", remedy='add for example targets = ["mariadb:11.8", "mysql:9.7"]')
        if storage_engines:
            targets = [_with_storage_engine(target, name) for target in targets for name in storage_engines]
        targets = _name_targets(targets)
        self._check_unique([target.name for target in targets], "targets", "give each [[target]] its own name")
        for target in targets:
            server = target.engine.source_place
            if target.engine.source_kind == "server" and server not in servers:
                self._fail("", "targets", f"'{target.name}' names server '{server}', which has no [servers.{server}]")
        return tuple(targets)

    def _check_slowdown(self, engine: EngineName, values: Mapping[str, Any], index: int) -> None:
        """Refuse to slow what dbdyno did not start, or what runs where dbdyno's library is not."""
        if engine.source_kind == "server" and values["throttled_share"]:
            what = "dbdyno can't stop a server that it did not start"
            self._fail("target", "throttled_share", what, remedy="remove it", index=index)
        for key in ("flush_delay", "read_delay"):
            if values[key] and engine.source_kind in ("server", "image"):
                what = f"calls of '{engine}' can't be delayed: dbdyno does not start its process directly"
                self._fail("target", key, what, remedy="remove it", index=index)

    def _container(self, entry: object, index: int) -> ContainerChoice:
        if not isinstance(entry, dict):
            self._fail("target", "container", f"{entry!r} is not a table", index=index)
        values = self._table(entry, "target.container", _schema.CONTAINER, index)
        return ContainerChoice(values["network"], values["memory"])

    def _own_settings(self, entry: dict[str, Any], index: int) -> tuple[dict[str, SettingValue], dict[str, str]]:
        """Return neutral settings and server options of a target."""
        neutral, old_options = split_old(self._subtable(entry, "settings", index))
        options = {**old_options, **self._subtable(entry, "options", index)}
        for name, value in options.items():
            if isinstance(value, dict | list):
                self._fail("target.options", name, f"'{name}' is {value!r} but must be one value", index=index)
        option_texts = {str(k).replace("-", "_"): _option_text(v) for k, v in options.items()}
        return self._read_settings(neutral, "target.settings", index), option_texts

    def _subtable(self, entry: dict[str, Any], key: str, index: int) -> dict[str, Any]:
        table = entry.pop(key, {})
        if not isinstance(table, dict):
            self._fail(
                "target", key, f"'{key}' of a target must be a table", remedy=f"write [target.{key}]", index=index
            )
        return dict(table)

    def _check_target_settings(
        self, settings: Mapping[str, SettingValue], engine: EngineName, storage_engines: Sequence[str], index: int
    ) -> None:
        kinds = storage_engines or (engine.storage_engine,)
        for name in settings:
            if not any(concerns(name, kind) for kind in kinds):
                line = setting_line(self.text, "target.settings", name, index)
                what = f"'{name}' does not apply to {engine}: its tables use {', '.join(kinds)}"
                raise StudyError(f"{self.source}:{line}: {what}", vocabulary()[name][0].title, "remove it")

    def _with_options_file(
        self, target: Target, values: Mapping[str, Any], stored_options: Mapping[str, Any], index: int
    ) -> Target:
        """Return the target with what its option file says: of the file, or of a study that dbdyno wrote with it."""
        file, sha256 = values["options_file"], values["options_sha256"]
        if not file:
            return target
        if stored_options:
            options = {str(name): None if value is True else str(value) for name, value in stored_options.items()}
        else:
            try:
                options, digest = read_options_file(Path(self.source).parent / file)
            except StudyError as error:
                place = self._place("target", "options_file", index)
                raise StudyError(f"{place}: {error.what}", error.why, error.remedy, code=error.code) from error
            if sha256 and sha256 != digest:
                what = f"{file} is not the file that the study names: its SHA-256 is {digest}"
                self._fail(
                    "target",
                    "options_sha256",
                    what,
                    remedy="put the new digest into the study, or restore the old file",
                    index=index,
                )
            sha256 = digest
        return replace(target, options_file=file, options_sha256=sha256, file_options=options)

    def _own_options(self, entry: object, workloads: Sequence[WorkloadChoice], index: int) -> dict[str, OptionValue]:
        """Return a target's own options of the workload; every workload of the study must know them."""
        if not isinstance(entry, dict):
            self._fail("target", "workload", f"{entry!r} is not a table of workload options", index=index)
        options: dict[str, OptionValue] = {}
        for choice in workloads:
            options |= self._options(entry, choice.name, "target", index)
        return options

    def _engine(self, name: str, table: str, key: str, index: int = 0) -> EngineName:
        try:
            engine = parse_engine_name(name)
        except StudyError as error:
            raise StudyError(f"{self._place(table, key, index)}: {error.what}", error.why, error.remedy) from error
        if engine.family not in family_names() and engine.source != IMPORTED_SOURCE:
            what = f"'{name}' is of no known family"
            self._fail(table, key, what, remedy=nearest_family(engine.family), index=index)
        return engine

    def _with_sha256(self, engine: EngineName, sha256: str, index: int) -> EngineName:
        if not sha256:
            return engine
        if engine.source_kind not in ("archive", "maven", "npm"):
            what = f"'{engine}' is not unpacked from a file, so 'sha256' does not apply"
            self._fail("target", "sha256", what, remedy="remove it", index=index)
        return replace(engine, sha256=sha256)

    def _with_plugin(self, engine: EngineName, values: Mapping[str, str], index: int) -> EngineName:
        keys = ("plugin", "plugin_version", "plugin_maturity")
        engine = replace(engine, **{key: values[key] or str(getattr(engine, key)) for key in keys})
        engine = replace(engine, plugin_maturity=engine.plugin_maturity.lower())
        try:
            check_plugin(engine)
        except StudyError as error:
            key = next((key for key in reversed(keys) if values[key]), "plugin")
            self._fail("target", key, error.what, error.why, error.remedy, index)
        return engine


def _with_storage_engine(target: Target, storage_engine: str) -> Target:
    """Return the target in a storage engine; a plug-in stays with the one that it holds."""
    engine = target.engine
    if storage_engine != engine.storage_engine:
        engine = replace(engine, storage_engine=storage_engine, plugin="", plugin_version="", plugin_maturity="")
    return replace(target, name=target.name and f"{target.name}+{storage_engine}", engine=engine)


def _name_targets(targets: Sequence[Target]) -> list[Target]:
    """Name targets without a name by their engine, without path or coordinate of its source where that is enough."""
    name_counts = Counter(target.name or _short_name(target.engine) for target in targets)
    return [replace(target, name=target.name or _target_name(target.engine, name_counts)) for target in targets]


def _target_name(engine: EngineName, name_counts: Mapping[str, int]) -> str:
    short_name = _short_name(engine)
    return (
        short_name
        if name_counts[short_name] == 1
        else str(replace(engine, sha256="", plugin=Path(engine.plugin).name, plugin_version="", plugin_maturity=""))
    )


def _short_name(engine: EngineName) -> str:
    engine = replace(engine, plugin="", plugin_version="", plugin_maturity="")
    is_known_by_kind = engine.source_kind in ("archive", "basedir", "image", "maven", "npm")
    return str(replace(engine, source=engine.source_kind, sha256="") if is_known_by_kind else engine)


def _option_text(value: object) -> str:
    return {True: "ON", False: "OFF"}[value] if isinstance(value, bool) else str(value)
