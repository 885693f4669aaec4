"""From the text of a study file to a `Study`, or to an error that names file, line and the nearest valid word."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from dbdyno.core import (
    IMPORTED_SOURCE,
    ContainerChoice,
    EngineName,
    StudyError,
    Target,
    check_plugin,
    format_memory,
    parse_engine_name,
)
from dbdyno.engines import SettingValue, family_names, vocabulary
from dbdyno.study import _schema
from dbdyno.study._limits import Limits
from dbdyno.study._lines import line_of, nearest, setting_line
from dbdyno.study._options_file import read_options_file
from dbdyno.study._pacing import Pacing, Search, Think
from dbdyno.study._scale import scaled_document
from dbdyno.study._schema import Key
from dbdyno.study._settings import BUDGET, WrongSetting, flatten, read_settings, split_old
from dbdyno.study._values import (
    ErrorPolicy,
    Imported,
    OpenEnds,
    Pinning,
    ServerAddress,
    Study,
    WorkloadChoice,
    concerns,
)
from dbdyno.study._workloads import OPTION_ALIASES, OptionValue, full_name, options_of, workload_names

_TABLES = (
    "audit",
    "axes",
    "errors",
    "imported",
    "limits",
    "measure",
    "pacing",
    "pinning",
    "servers",
    "settings",
    "target",
    "workload",
)

_OF_KIND = {
    "rate_per_s": (),
    "think": ("think_law",),
    "rates": (),
    "promise": ("first_rate", "precision", "probe_settle"),
}
"""Kinds of pacing by the key that chooses them, with the keys that belong to it alone."""


_OF_AUTO = {
    ("warm_up",): ("warm_up_max",),
    ("window",): ("window_min", "window_max", "certainty"),
    ("warm_up", "window"): ("gates",),
}
"""Keys that mean something only where one of these is left to the run."""
_CHECKS_NS = 60 * 10**9


def read_study(path: Path, scale: str | None = None) -> Study:
    """Read and check a study file that is to be run.

    `scale` names one of its scales, without it the study is read at its own.

    Raises
    ------
    StudyError : the file can't be read, a key or value is wrong, or its results were imported
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"study file {path} can't be read", str(error), "give the path of a study file") from error
    study = parse_study(text, str(path), scale)
    if study.imported is not None:
        why = f"it describes logs of {study.imported.tool}, which tell too little to make the runs again"
        raise StudyError(
            f"{path} can't be run", why, "show its results with `dbdyno show`, or write a study of your own"
        )
    return study


def parse_study(text: str, source: str, scale: str | None = None) -> Study:
    """Check the text of a study file; `source` names it in errors and gives the study its default name.

    >>> study = parse_study('''
    ... targets = ["mariadb:11.8", "mysql:9.7"]
    ... workload.name = "sysbench/oltp_read_only"
    ... axes = {tier = "64MB", concurrency = [1, 4]}
    ... ''', "example.toml")
    >>> study.name, study.concurrencies, study.window_ns
    ('example', (1, 4), 300000000000)
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{source} is not TOML", str(error), "see the study files in studies/ for the form") from error
    try:
        document = scaled_document(document, scale, Path(source).stem)
    except StudyError as error:
        raise StudyError(f"{source}: {error.what}", error.why, error.remedy) from error
    return _Reader(text, source).study(document)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Carries the text, so that every complaint can name its line."""

    text: str
    source: str

    def study(self, document: Mapping[str, Any]) -> Study:
        self._known(document, "", [*_schema.TOP, *_TABLES])
        top = self._table({k: v for k, v in document.items() if k not in _TABLES}, "", _schema.TOP)
        imported = self._imported(document)
        axes_keys, measure_keys = _schema.AXES, _schema.MEASURE
        if imported is not None:
            axes_keys, measure_keys = _schema.IMPORTED_AXES, _schema.IMPORTED_MEASURE
        settings = self._mapping(document, "settings")
        axes = self._table(self._axes(document, settings), "axes", axes_keys)
        measure = self._table(self._mapping(document, "measure"), "measure", measure_keys)
        open_ends = self._open_ends(self._mapping(document, "measure"), measure)
        servers = self._servers(self._mapping(document, "servers"))
        workloads = self._workloads(document)
        targets = self._targets(document, top["targets"], axes["storage_engine"], servers, workloads)
        asked = self._settings(settings, "settings")
        self._policy(top["policy"], asked, targets)
        self._concern_somebody(asked, targets)
        return Study(
            name=top["name"] or Path(self.source).stem,
            question=top["question"] or _default_question(targets),
            scaled=top["scaled"],
            targets=targets,
            workloads=workloads,
            tiers_bytes=axes["tier"],
            concurrencies=axes["concurrency"],
            routes=axes["route"],
            warm_up_ns=measure["warm_up_max"] if open_ends.warm_up else measure["warm_up"],
            window_ns=measure["window"] if open_ends.window_least_ns is None else measure["window_max"],
            settle_ns=measure["settle"],
            repeats=measure["repeats"],
            seed=measure["seed"],
            order=measure["order"],
            protocol=measure["protocol"],
            rng=measure["rng"],
            equivalence_events=measure["equivalence_events"],
            open_ends=open_ends,
            sentinel=self._sentinel(measure["sentinel"], targets),
            pacing=self._pacing(self._mapping(document, "pacing"), open_ends),
            errors=self._errors(self._mapping(document, "errors")),
            pinning=Pinning(**self._table(self._mapping(document, "pinning"), "pinning", _schema.PINNING)),
            audit_stop=self._table(self._mapping(document, "audit"), "audit", _schema.AUDIT)["stop_at"],
            limits=self._limits(self._mapping(document, "limits"), axes["tier"], targets),
            servers=servers,
            ending=measure["ending"],
            imported=imported,
            policy=top["policy"],
            settings=asked,
        )

    def _axes(self, document: Mapping[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
        """The axes, whose tier may stand among the settings as the memory budget."""
        axes = self._mapping(document, "axes")
        if BUDGET not in flatten(settings):
            return axes
        if "tier" in axes:
            what = "the memory budget is given twice, as axes.tier and as memory.budget"
            self._fail("settings", BUDGET, what, remedy="leave one of the two out")
        memory = settings.get("memory")
        budget = (
            settings.pop(BUDGET) if BUDGET in settings else memory.pop("budget") if isinstance(memory, dict) else ""
        )
        return {**axes, "tier": budget}

    def _settings(self, table: Mapping[str, Any], where: str, index: int = 0) -> dict[str, SettingValue]:
        try:
            return read_settings(table)
        except WrongSetting as wrong:
            place = setting_line(self.text, where, wrong.key, index)
            raise StudyError(f"{self.source}:{place}: {wrong.what}", wrong.why, wrong.remedy) from wrong

    def _policy(self, policy: str, asked: Mapping[str, SettingValue], targets: Sequence[Target]) -> None:
        """Settings belong to aligned targets, option files to tuned ones."""
        if policy != "aligned":
            why = "vendor: defaults alone" if policy == "vendor" else "tuned: each target's own file says everything"
            for table, given in (("settings", asked), *(("target", t.settings or t.options) for t in targets)):
                if given:
                    what = f'policy = "{policy}" leaves no room for settings ({", ".join(list(given)[:3])})'
                    self._fail(table, "settings", what, why, 'leave them out, or choose policy = "aligned"')
        for index, target in enumerate(targets):
            ours = target.engine.source_kind != "server"
            if policy == "tuned" and ours and not target.options_file:
                what = f"'{target.name}' has no options_file, by which a tuned study configures it"
                self._fail(
                    "target", "engine", what, remedy='add options_file = "FILE.cnf" to its [[target]]', index=index
                )
            if policy != "tuned" and target.options_file:
                what = f"'{target.name}' has an options_file, and policy is \"{policy}\""
                remedy = 'write policy = "tuned" at the top of the file, and a file for each target'
                self._fail("target", "options_file", what, remedy=remedy, index=index)

    def _concern_somebody(self, asked: Mapping[str, SettingValue], targets: Sequence[Target]) -> None:
        kinds = {target.engine.storage_engine for target in targets}
        for name in asked:
            if not any(concerns(name, kind) for kind in kinds):
                of = ", ".join(dict.fromkeys(entry.storage_engine for entry in vocabulary()[name]))
                what = f"'{name}' is for {of} alone, and no target is in it"
                line = setting_line(self.text, "settings", name)
                raise StudyError(f"{self.source}:{line}: {what}", vocabulary()[name][0].title, "leave it out")

    def _imported(self, document: Mapping[str, Any]) -> Imported | None:
        if "imported" not in document:
            return None
        return Imported(**self._table(self._mapping(document, "imported"), "imported", _schema.IMPORTED))

    def _sentinel(self, name: str, targets: Sequence[Target]) -> str:
        names = [target.name for target in targets]
        if name and name not in names:
            what = f"'{name}' is no target of the study"
            self._fail("measure", "sentinel", what, f"targets: {', '.join(names)}", nearest(name, names))
        return name

    def _open_ends(self, entry: Mapping[str, Any], measure: Mapping[str, Any]) -> OpenEnds:
        is_open = {"warm_up": measure["warm_up"] is None, "window": measure["window"] is None}
        for own, keys in _OF_AUTO.items():
            for key in keys:
                if key in entry and not any(is_open[word] for word in own):
                    whose = " or ".join(f'{word} = "auto"' for word in own)
                    self._fail("measure", key, f"'{key}' belongs to {whose}, which is not there", remedy=f"add {whose}")
        if not is_open["window"]:
            return OpenEnds(is_open["warm_up"], gates=measure["gates"] == "on")
        if measure["window_max"] < measure["window_min"] + _CHECKS_NS:
            what = "'window_max' must be at least a minute above 'window_min': three checks in a row, 30 s apart"
            self._fail("measure", "window_max", what, remedy="raise the one or lower the other")
        return OpenEnds(is_open["warm_up"], measure["window_min"], measure["certainty"], measure["gates"] == "on")

    def _targets(
        self,
        document: Mapping[str, Any],
        names: tuple[str, ...],
        storage_engines: tuple[str, ...],
        servers: Mapping[str, ServerAddress],
        workloads: Sequence[WorkloadChoice],
    ) -> tuple[Target, ...]:
        targets = [Target("", self._engine(name, "", "targets")) for name in names]
        for index, entry in enumerate(self._list(document, "target")):
            settings, options = self._own_settings(entry, index)
            file_options = self._subtable(entry, "file_options", index)
            container = self._container(entry.pop("container", {}), index)
            own = self._own_options(entry.pop("workload", {}), workloads, index)
            values = self._table(entry, "target", _schema.TARGET, index)
            engine = self._engine(values["engine"], "target", "engine", index)
            engine = self._with_sha256(engine, values["sha256"], index)
            engine = self._with_plugin(engine, values["plugin"], values["plugin_maturity"], index)
            if values["held_share"] and engine.source_kind == "server":
                what = "a server that is not ours can't be held"
                self._fail("target", "held_share", what, remedy="leave it out", index=index)
            if container != ContainerChoice() and engine.source_kind != "image":
                what = f"'{engine}' does not run in a container"
                self._fail(
                    "target", "container", what, remedy="write FAMILY:VERSION@image, or leave it out", index=index
                )
            self._concern_target(settings, engine, storage_engines, index)
            target = Target(values["name"], engine, settings, own, values["held_share"], container, options)
            targets.append(self._with_options_file(target, values, file_options, index))
        if not targets:
            self._fail("", "targets", "no targets", remedy='add for example targets = ["mariadb:11.8", "mysql:9.7"]')
        if storage_engines:
            targets = [_with_storage_engine(target, name) for target in targets for name in storage_engines]
        targets = _all_named(targets)
        self._unique([target.name for target in targets], "targets", "give each [[target]] a name of its own")
        for target in targets:
            server = target.engine.source_place
            if target.engine.source_kind == "server" and server not in servers:
                self._fail("", "targets", f"'{target.name}' names server '{server}', which has no [servers.{server}]")
        return tuple(targets)

    def _container(self, entry: object, index: int) -> ContainerChoice:
        if not isinstance(entry, dict):
            self._fail("target", "container", f"{entry!r} is not a table", index=index)
        values = self._table(entry, "target.container", _schema.CONTAINER, index)
        return ContainerChoice(values["network"], values["memory"])

    def _own_settings(self, entry: dict[str, Any], index: int) -> tuple[dict[str, SettingValue], dict[str, str]]:
        """Neutral settings and server options of a target."""
        neutral, old = split_old(self._subtable(entry, "settings", index))
        options = {**old, **self._subtable(entry, "options", index)}
        for name, value in options.items():
            if isinstance(value, dict | list):
                self._fail("target.options", name, f"'{name}' is {value!r} but must be one value", index=index)
        written = {str(k).replace("-", "_"): _option_text(v) for k, v in options.items()}
        return self._settings(neutral, "target.settings", index), written

    def _subtable(self, entry: dict[str, Any], key: str, index: int) -> dict[str, Any]:
        table = entry.pop(key, {})
        if not isinstance(table, dict):
            self._fail(
                "target", key, f"'{key}' of a target must be a table", remedy=f"write [target.{key}]", index=index
            )
        return dict(table)

    def _concern_target(
        self, settings: Mapping[str, SettingValue], engine: EngineName, storage_engines: Sequence[str], index: int
    ) -> None:
        kinds = storage_engines or (engine.storage_engine,)
        for name in settings:
            if not any(concerns(name, kind) for kind in kinds):
                line = setting_line(self.text, "target.settings", name, index)
                what = f"'{name}' does not concern {engine}: its tables lie in {', '.join(kinds)}"
                raise StudyError(f"{self.source}:{line}: {what}", vocabulary()[name][0].title, "leave it out")

    def _with_options_file(
        self, target: Target, values: Mapping[str, Any], kept: Mapping[str, Any], index: int
    ) -> Target:
        """The target with what its option file says: of the file, or of a study that dbdyno wrote with it."""
        file, sha256 = values["options_file"], values["options_sha256"]
        if not file:
            return target
        if kept:
            options = {str(name): str(value) for name, value in kept.items()}
        else:
            try:
                options, found = read_options_file(Path(self.source).parent / file)
            except StudyError as error:
                place = self._place("target", "options_file", index)
                raise StudyError(f"{place}: {error.what}", error.why, error.remedy) from error
            if sha256 and sha256 != found:
                what = f"{file} is not the file that the study names: its SHA-256 is {found}"
                self._fail(
                    "target", "options_sha256", what, remedy="name the new digest, or bring the old file", index=index
                )
            sha256 = found
        return replace(target, options_file=file, options_sha256=sha256, file_options=options)

    def _own_options(self, entry: object, workloads: Sequence[WorkloadChoice], index: int) -> dict[str, OptionValue]:
        """Options of the workload that a target has of its own; every workload of the study must know them."""
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
            what = f"'{name}' is of no family that dbdyno knows"
            self._fail(table, key, what, remedy=nearest(engine.family, family_names()), index=index)
        return engine

    def _with_sha256(self, engine: EngineName, sha256: str, index: int) -> EngineName:
        if not sha256:
            return engine
        if engine.source_kind not in ("archive", "maven", "npm"):
            what = f"'{engine}' is not unpacked from one file, so 'sha256' has nothing to hold"
            self._fail("target", "sha256", what, remedy="leave it out", index=index)
        return replace(engine, sha256=sha256)

    def _with_plugin(self, engine: EngineName, plugin: str, maturity: str, index: int) -> EngineName:
        engine = replace(
            engine,
            plugin=plugin or engine.plugin,
            plugin_maturity=maturity.lower() or engine.plugin_maturity,
        )
        try:
            check_plugin(engine)
        except StudyError as error:
            key = "plugin_maturity" if maturity else "plugin"
            self._fail("target", key, error.what, error.why, error.remedy, index)
        return engine

    def _workloads(self, document: Mapping[str, Any]) -> tuple[WorkloadChoice, ...]:
        entries = self._list(document, "workload")
        if not entries:
            self._fail("", "workload", "no workload", remedy='add [workload] with name = "sysbench/oltp_read_write"')
        choices = tuple(self._workload(entry, index) for index, entry in enumerate(entries))
        self._unique([choice.label for choice in choices], "workload", "give each [[workload]] a label of its own")
        return choices

    def _workload(self, entry: dict[str, Any], index: int) -> WorkloadChoice:
        name = str(entry.pop("name", ""))
        full = full_name(name)
        if full is None:
            remedy = nearest(name, [*workload_names(), *(known.rsplit("/", 1)[-1] for known in workload_names())])
            self._fail("workload", "name", f"unknown workload '{name}'", remedy=remedy, index=index)
        label = str(entry.pop("label", full))
        return WorkloadChoice(label, full, self._options(entry, full, "workload", index))

    def _options(self, entry: Mapping[str, Any], workload: str, table: str, index: int) -> dict[str, OptionValue]:
        known, options = options_of(workload), dict[str, OptionValue]()
        for key, value in entry.items():
            word = OPTION_ALIASES.get(key.replace("-", "_"), key.replace("-", "_"))
            if word not in known:
                remedy = nearest(word, [*known, *OPTION_ALIASES])
                self._fail(table, key, f"unknown option '{key}' of {workload}", remedy=remedy, index=index)
            try:
                options[word] = known[word].read(value)
            except ValueError as error:
                self._fail(table, key, f"'{key}' is {value!r} but must be {error}", index=index)
        return options

    def _pacing(self, entry: dict[str, Any], open_ends: OpenEnds) -> Pacing:
        values = self._table(entry, "pacing", _schema.PACING)
        for own, keys in _OF_KIND.items():
            for key in (own, *keys):
                if key in entry and own not in entry:
                    self._fail("pacing", key, f"'{key}' belongs to '{own}', which is not there", remedy=f"add {own}")
        chosen = [own for own in _OF_KIND if own in entry]
        if len(chosen) > 1:
            what = f"'{chosen[0]}' and '{chosen[1]}' are two kinds of pacing"
            self._fail("pacing", chosen[1], what, remedy="leave one of the two out")
        if open_ends and chosen in (["rates"], ["promise"]):
            what = f"'{chosen[0]}' varies the rate, so there is no level to wait for"
            self._fail("pacing", chosen[0], what, remedy='give warm_up and window as durations instead of "auto"')
        if chosen == ["think"] and "arrivals" in entry:
            self._fail("pacing", "arrivals", "a closed loop has no arrivals", remedy="leave arrivals out")
        think = values["think"] and Think(values["think"], values["think_law"])
        search = values["promise"] and self._search(values)
        return Pacing(values["rate_per_s"], values["arrivals"], think, values["rates"], search)

    def _search(self, values: Mapping[str, Any]) -> Search:
        if values["first_rate"] is None:
            self._fail("pacing", "promise", "a search needs its first rate", remedy="add first_rate = 100")
        quantile, response_ns = values["promise"]
        return Search(quantile, response_ns, values["first_rate"], values["precision"], values["probe_settle"])

    def _errors(self, entry: dict[str, Any]) -> ErrorPolicy:
        values = self._table(entry, "errors", _schema.ERRORS)
        return ErrorPolicy(values["draws"], values["retry_limit"], values["pause"], values["prepared_full"])

    def _limits(self, entry: dict[str, Any], tiers_bytes: Sequence[int], targets: Sequence[Target]) -> Limits:
        limits = Limits(**self._table(entry, "limits", _schema.LIMITS))
        theirs = next((target for target in targets if target.engine.source_kind == "server"), None)
        if limits.memory is not None and theirs is not None:
            what = f"'{theirs.name}' runs already, so its memory can't be bounded"
            self._fail("limits", "memory", what, remedy="leave [limits] out, and bound that server yourself")
        if limits.memory is not None and limits.memory.bytes_at(max(tiers_bytes)) <= max(tiers_bytes):
            what = f"a limit of {limits.memory} is no more than the tier of {format_memory(max(tiers_bytes))}"
            why = "a server needs memory beside its buffer pool or block cache"
            self._fail("limits", "memory", what, why, 'write for example "tier + 512MB"')
        return limits

    def _servers(self, tables: Mapping[str, Any]) -> dict[str, ServerAddress]:
        servers = {}
        for name, entry in tables.items():
            table = f"servers.{name}"
            if not isinstance(entry, dict):
                self._fail("servers", name, f"[{table}] is not a table")
            values = self._table(entry, table, _schema.SERVER)
            if (values["socket"] is None) == (values["host"] is None):
                self._fail(table, "socket", f"[{table}] needs either socket or host", remedy="give one of the two")
            if values["password_file"] is not None and values["password_env"] is not None:
                self._fail(
                    table, "password_env", f"[{table}] gives the password twice", remedy="leave one of the two out"
                )
            servers[name] = ServerAddress(name=name, **values)
        return servers

    def _table(self, entry: Mapping[str, Any], table: str, keys: Mapping[str, Key], index: int = 0) -> dict[str, Any]:
        self._known(entry, table, keys, index)
        return {name: self._value(entry, table, name, key, index) for name, key in keys.items()}

    def _value(self, entry: Mapping[str, Any], table: str, name: str, key: Key, index: int) -> object:
        if name not in entry:
            if key.default is ...:
                where = f" in [{table}]" if table else ""
                self._fail(table, name, f"'{name}' is missing{where}", remedy=f"add it: {key.meaning}", index=index)
            return key.default
        try:
            return key.read(entry[name])
        except ValueError as error:
            self._fail(table, name, f"'{name}' is {entry[name]!r} but must be {error}", key.meaning, index=index)

    def _known(
        self, entry: Mapping[str, Any], table: str, allowed: Mapping[str, Any] | list[str], index: int = 0
    ) -> None:
        for name in entry:
            if name not in allowed:
                where = f" in [{table}]" if table else ""
                why = "allowed here: " + ", ".join(sorted(allowed))
                self._fail(table, name, f"unknown key '{name}'{where}", why, nearest(name, allowed), index)

    def _mapping(self, document: Mapping[str, Any], table: str) -> dict[str, Any]:
        entry = document.get(table, {})
        if not isinstance(entry, dict):
            self._fail("", table, f"'{table}' must be a table", remedy=f"write [{table}] and its keys below")
        return dict(entry)

    def _list(self, document: Mapping[str, Any], table: str) -> list[dict[str, Any]]:
        entry = document.get(table, [])
        entries = entry if isinstance(entry, list) else [entry]
        if not all(isinstance(item, dict) for item in entries):
            self._fail("", table, f"'{table}' must be a table", remedy=f"write [[{table}]] and its keys below")
        return [dict(item) for item in entries]

    def _unique(self, names: list[str], key: str, remedy: str) -> None:
        doubles = sorted({name for name in names if names.count(name) > 1})
        if doubles:
            self._fail("", key, f"'{doubles[0]}' appears twice", remedy=remedy)

    def _place(self, table: str, key: str, index: int = 0) -> str:
        return f"{self.source}:{line_of(self.text, table, key, index)}"

    def _fail(self, table: str, key: str, what: str, why: str = "", remedy: str = "", index: int = 0) -> NoReturn:
        raise StudyError(f"{self._place(table, key, index)}: {what}", why, remedy)


def _with_storage_engine(target: Target, storage_engine: str) -> Target:
    engine = replace(target.engine, storage_engine=storage_engine)
    return replace(target, name=target.name and f"{target.name}+{storage_engine}", engine=engine)


def _all_named(targets: Sequence[Target]) -> list[Target]:
    """Who has no name is called by the engine, without the path or coordinate of its source where that is enough."""
    taken = Counter(target.name or _short_name(target.engine) for target in targets)
    return [replace(target, name=target.name or _name(target.engine, taken)) for target in targets]


def _name(engine: EngineName, taken: Mapping[str, int]) -> str:
    short = _short_name(engine)
    return (
        short
        if taken[short] == 1
        else str(replace(engine, sha256="", plugin=Path(engine.plugin).name, plugin_maturity=""))
    )


def _short_name(engine: EngineName) -> str:
    engine = replace(engine, plugin="", plugin_maturity="")
    is_known_by_kind = engine.source_kind in ("archive", "basedir", "image", "maven", "npm")
    return str(replace(engine, source=engine.source_kind, sha256="") if is_known_by_kind else engine)


def _option_text(value: object) -> str:
    return {True: "ON", False: "OFF"}[value] if isinstance(value, bool) else str(value)


def _default_question(targets: tuple[Target, ...]) -> str:
    names = [target.name for target in targets]
    if len(names) == 1:
        return f"How fast is {names[0]}?"
    return f"Which is faster: {', '.join(names[:-1])} or {names[-1]}?"
