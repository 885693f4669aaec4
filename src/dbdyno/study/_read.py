"""Reads the tables of a study file into a `Study`, or fails with file, line and the nearest valid word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbdyno.core import StudyError, Target, counted, format_memory, target_title
from dbdyno.engines import SettingValue, vocabulary
from dbdyno.nearest import nearest
from dbdyno.study import _schema
from dbdyno.study._hosts import HostsReader, NetworkLoad
from dbdyno.study._limits import StudyLimits, Timeouts
from dbdyno.study._pacing import Pacing, Search, Think
from dbdyno.study._places import ServerAddress
from dbdyno.study._routes import RoutesReader
from dbdyno.study._settings import BUDGET, flatten
from dbdyno.study._tables import Tables, setting_line
from dbdyno.study._targets import TargetsReader
from dbdyno.study._values import AdaptiveLength, ErrorPolicy, Imported, Pinning, Study, WorkloadChoice, concerns
from dbdyno.study._workloads import full_name, workload_names

_TABLES = (
    "audit",
    "axes",
    "bench",
    "errors",
    "fleet",
    "hosts",
    "imported",
    "limits",
    "measure",
    "pacing",
    "pinning",
    "routes",
    "servers",
    "settings",
    "target",
    "timeouts",
    "workload",
)

_OF_KIND = {
    "rate_per_s": (),
    "think": ("think_distribution",),
    "rates": (),
    "slo": ("first_rate", "precision", "probe_settle"),
}
"""Kinds of pacing by the key that chooses them, with the keys that belong to it alone."""


_OF_AUTO = {
    ("warm_up",): ("warm_up_max",),
    ("window",): ("window_min", "window_max", "target_half_width"),
    ("warm_up", "window"): ("gates",),
}
"""Keys that mean something only where one of these is left to the run."""
_LADDER_FAMILIES = ("sysbench", "tpcc")
_CHANGING = ("sysbench/oltp_insert", "sysbench/oltp_delete", "sysbench/bulk_insert")
"""Workloads of a ladder leave about as many rows as they found, and draw keys that are there in any case."""
_CHECKS_NS = 60 * 10**9
_MOST_NAMED = 4
"""Targets; the names of more would fill the first screen, and stand next to the chart anyway."""


@dataclass(frozen=True, slots=True)
class StudyReader(Tables):
    """Reads the study as a whole; what tables share and what each target has is read elsewhere."""

    def study(self, document: Mapping[str, Any]) -> Study:
        self._check_keys(document, "", [*_schema.TOP, *_TABLES])
        top = self._table({k: v for k, v in document.items() if k not in _TABLES}, "", _schema.TOP)
        imported = self._imported(document)
        axes_keys, measure_keys = _schema.AXES, _schema.MEASURE
        if imported is not None:
            axes_keys, measure_keys = _schema.IMPORTED_AXES, _schema.IMPORTED_MEASURE
        settings = self._mapping(document, "settings")
        axes = self._table(self._axes(document, settings), "axes", axes_keys)
        measure = self._table(self._mapping(document, "measure"), "measure", measure_keys)
        adaptive_length = self._adaptive_length(self._mapping(document, "measure"), measure)
        servers = self._servers(self._mapping(document, "servers"))
        workloads = self._workloads(document)
        targets = TargetsReader(self.text, self.source).targets(
            document, top["targets"], axes["storage_engine"], servers, workloads
        )
        self._check_ladder(document, measure, workloads, targets)
        self._check_further_repeats(self._mapping(document, "measure"), measure)
        hosts, routes = HostsReader(self.text, self.source), RoutesReader(self.text, self.source)
        shaped_routes = routes.shaped_routes(document, axes["route"]) if imported is None else ()
        pacing = self._pacing(self._mapping(document, "pacing"), adaptive_length)
        pinning = Pinning(**self._table(self._mapping(document, "pinning"), "pinning", _schema.PINNING))
        load = NetworkLoad(axes["concurrency"], pacing, pinning)
        study_settings = self._read_settings(settings, "settings")
        self._check_policy(top["policy"], study_settings, targets)
        self._check_settings_apply(study_settings, targets)
        return Study(
            name=top["name"] or Path(self.source).stem,
            question=top["question"] or default_question([target.name for target in targets]),
            scaled=top["scaled"],
            targets=targets,
            workloads=workloads,
            tiers_bytes=axes["tier"],
            concurrencies=axes["concurrency"],
            routes=axes["route"],
            warm_up_ns=measure["warm_up_max"] if adaptive_length.warm_up else measure["warm_up"],
            window_ns=measure["window"] if adaptive_length.window_least_ns is None else measure["window_max"],
            settle_ns=measure["settle"],
            repeats=measure["repeats"],
            seed=measure["seed"],
            order=measure["order"],
            protocol=measure["protocol"],
            rng=measure["rng"],
            equivalence_events=measure["equivalence_events"],
            adaptive_length=adaptive_length,
            sentinel=self._sentinel(measure["sentinel"], targets),
            pacing=pacing,
            errors=self._errors(self._mapping(document, "errors")),
            pinning=pinning,
            audit_stop=self._table(self._mapping(document, "audit"), "audit", _schema.AUDIT)["stop_at"],
            limits=self._limits(self._mapping(document, "limits"), axes, targets),
            timeouts=self._timeouts(self._mapping(document, "timeouts")),
            servers=servers,
            after_run=measure["after_run"],
            restore=measure["restore"],
            step_warm_up_ns=measure["step_warm_up"],
            repeats_max=measure["repeats_max"],
            level_target_half_width=measure["level_target_half_width"],
            imported=imported,
            policy=top["policy"],
            settings=study_settings,
            benches=hosts.benches(document, axes["route"], targets, workloads, load) if imported is None else (),
            fleet=hosts.fleet(document),
            shaped_routes=shaped_routes,
        )

    def _axes(self, document: Mapping[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
        """Return the axes, whose tier may stand among the settings as the memory budget."""
        axes = self._mapping(document, "axes")
        if BUDGET not in flatten(settings):
            return axes
        if "tier" in axes:
            what = "axes.tier and memory.budget both give the memory budget"
            self._fail("settings", BUDGET, what, remedy="remove one of the two")
        memory = settings.get("memory")
        budget = (
            settings.pop(BUDGET) if BUDGET in settings else memory.pop("budget") if isinstance(memory, dict) else ""
        )
        return {**axes, "tier": budget}

    def _check_policy(self, policy: str, study_settings: Mapping[str, SettingValue], targets: Sequence[Target]) -> None:
        """Check that settings belong to aligned targets, option files to tuned ones."""
        if policy != "aligned":
            why = (
                "vendor: only the vendors' defaults apply"
                if policy == "vendor"
                else "tuned: all settings come from each target's option file"
            )
            for table, target_settings in (
                ("settings", study_settings),
                *(("target", t.settings or t.options) for t in targets),
            ):
                if target_settings:
                    what = f'policy = "{policy}" does not allow settings ({", ".join(list(target_settings)[:3])})'
                    self._fail(table, "settings", what, why, 'remove them, or choose policy = "aligned"')
        for index, target in enumerate(targets):
            is_ours = target.engine.source_kind != "server"
            if policy == "tuned" and is_ours and not target.options_file:
                what = f"'{target.name}' has no options_file, which policy \"tuned\" needs"
                self._fail(
                    "target",
                    "engine",
                    what,
                    remedy='add options_file = "FILE.cnf" to its [[target]]',
                    index=index,
                    code="options-file-missing",
                )
            if policy != "tuned" and target.options_file:
                what = f"'{target.name}' has an options_file, and policy is \"{policy}\""
                remedy = 'write policy = "tuned" at the top of the file, and a file for each target'
                self._fail("target", "options_file", what, remedy=remedy, index=index)

    def _check_settings_apply(self, study_settings: Mapping[str, SettingValue], targets: Sequence[Target]) -> None:
        kinds = {target.engine.storage_engine for target in targets}
        for name in study_settings:
            if not any(concerns(name, kind) for kind in kinds):
                engine_words = ", ".join(dict.fromkeys(entry.storage_engine for entry in vocabulary()[name]))
                what = f"'{name}' applies to {engine_words} only, and no target uses that"
                line = setting_line(self.text, "settings", name)
                raise StudyError(f"{self.source}:{line}: {what}", vocabulary()[name][0].title, "remove it")

    def _imported(self, document: Mapping[str, Any]) -> Imported | None:
        if "imported" not in document:
            return None
        return Imported(**self._table(self._mapping(document, "imported"), "imported", _schema.IMPORTED))

    def _sentinel(self, name: str, targets: Sequence[Target]) -> str:
        names = [target.name for target in targets]
        if name and name not in names:
            what = f"'{name}' is not a target of the study"
            self._fail(
                "measure", "sentinel", what, f"targets: {', '.join(names)}", nearest(name, names), code="unknown-target"
            )
        return name

    def _adaptive_length(self, entry: Mapping[str, Any], measure: Mapping[str, Any]) -> AdaptiveLength:
        is_open = {"warm_up": measure["warm_up"] is None, "window": measure["window"] is None}
        for owner_keys, keys in _OF_AUTO.items():
            for key in keys:
                if key in entry and not any(is_open[word] for word in owner_keys):
                    owner_words = " or ".join(f'{word} = "auto"' for word in owner_keys)
                    self._fail(
                        "measure", key, f"'{key}' needs {owner_words}, which is missing", remedy=f"add {owner_words}"
                    )
        if not is_open["window"]:
            return AdaptiveLength(is_open["warm_up"], gates=measure["gates"] == "on")
        if measure["window_max"] < measure["window_min"] + _CHECKS_NS:
            what = "'window_max' must be at least a minute above 'window_min': three checks in a row, 30 s apart"
            self._fail("measure", "window_max", what, remedy="raise window_max or lower window_min")
        return AdaptiveLength(
            is_open["warm_up"], measure["window_min"], measure["target_half_width"], measure["gates"] == "on"
        )

    def _check_further_repeats(self, entry: Mapping[str, Any], measure: Mapping[str, Any]) -> None:
        repeats_max, repeats = measure["repeats_max"], measure["repeats"]
        if repeats_max is None and "level_target_half_width" in entry:
            what = "'level_target_half_width' needs 'repeats_max', which is missing"
            self._fail("measure", "level_target_half_width", what, remedy="add repeats_max = 4")
        if repeats_max is not None and not 2 <= repeats < repeats_max:
            what = f"'repeats_max' must be above 'repeats' ({repeats}), which must be 2 or more"
            why = "one run shows nothing of the spread between repeats"
            self._fail("measure", "repeats_max", what, why, "write for example repeats = 2 and repeats_max = 4")

    def _check_ladder(
        self,
        document: Mapping[str, Any],
        measure: Mapping[str, Any],
        workloads: Sequence[WorkloadChoice],
        targets: Sequence[Target],
    ) -> None:
        """Check that concurrencies share a server only where each leaves the next what it needs."""
        if measure["restore"] == "run":
            if "step_warm_up" in self._mapping(document, "measure"):
                what = "'step_warm_up' needs restore = \"ladder\""
                self._fail("measure", "step_warm_up", what, remedy='add restore = "ladder"')
            return
        pacing = self._mapping(document, "pacing")
        changing = [c.label for c in workloads if c.family not in _LADDER_FAMILIES or c.name in _CHANGING]
        running = [target.name for target in targets if target.engine.source_kind == "server"]
        problems = [
            (measure["after_run"] != "discard", f'after_run = "{measure["after_run"]}" ends the server after each run'),
            (bool(changing), f"'{', '.join(changing)}' changes how many rows there are, or may"),
            (bool(running), f"'{', '.join(running)}' is a running server, so dbdyno can't restore data there"),
            (bool({"rates", "slo"} & set(pacing)), "[pacing] varies the rate within each run"),
        ]
        for is_there, why in problems:
            if is_there:
                what = 'restore = "ladder" does not fit this study'
                self._fail("measure", "restore", what, why, "remove restore: each run then starts from restored data")

    def _workloads(self, document: Mapping[str, Any]) -> tuple[WorkloadChoice, ...]:
        entries = self._list(document, "workload")
        if not entries:
            self._fail("", "workload", "no workload", remedy='add [workload] with name = "sysbench/oltp_read_write"')
        choices = tuple(self._workload(entry, index) for index, entry in enumerate(entries))
        self._check_unique([choice.label for choice in choices], "workload", "give each [[workload]] its own label")
        return choices

    def _workload(self, entry: dict[str, Any], index: int) -> WorkloadChoice:
        name = str(entry.pop("name", ""))
        workload_name = full_name(name)
        if workload_name is None:
            remedy = nearest(
                name, [*workload_names(), *(candidate.rsplit("/", 1)[-1] for candidate in workload_names())]
            )
            self._fail("workload", "name", f"unknown workload '{name}'", remedy=remedy, index=index)
        label = str(entry.pop("label", workload_name))
        return WorkloadChoice(label, workload_name, self._options(entry, workload_name, "workload", index))

    def _pacing(self, entry: dict[str, Any], adaptive_length: AdaptiveLength) -> Pacing:
        values = self._table(entry, "pacing", _schema.PACING)
        for kind, keys in _OF_KIND.items():
            for key in (kind, *keys):
                if key in entry and kind not in entry:
                    self._fail("pacing", key, f"'{key}' needs '{kind}', which is missing", remedy=f"add {kind}")
        given_kinds = [name for name in _OF_KIND if name in entry]
        if len(given_kinds) > 1:
            what = f"'{given_kinds[0]}' and '{given_kinds[1]}' exclude each other"
            self._fail("pacing", given_kinds[1], what, remedy="remove one of the two")
        if adaptive_length and given_kinds in (["rates"], ["slo"]):
            what = f"'{given_kinds[0]}' varies the rate, so throughput never settles"
            self._fail("pacing", given_kinds[0], what, remedy='give warm_up and window as durations instead of "auto"')
        if given_kinds == ["think"] and "arrivals" in entry:
            self._fail("pacing", "arrivals", "a closed loop has no arrivals", remedy="remove arrivals")
        think = values["think"] and Think(values["think"], values["think_distribution"])
        search = values["slo"] and self._search(values)
        return Pacing(values["rate_per_s"], values["arrivals"], think, values["rates"], search)

    def _search(self, values: Mapping[str, Any]) -> Search:
        if values["first_rate"] is None:
            self._fail("pacing", "slo", "a search needs its first rate", remedy="add first_rate = 100")
        quantile, response_ns = values["slo"]
        return Search(quantile, response_ns, values["first_rate"], values["precision"], values["probe_settle"])

    def _errors(self, entry: dict[str, Any]) -> ErrorPolicy:
        values = self._table(entry, "errors", _schema.ERRORS)
        return ErrorPolicy(
            values["draws"], values["retry_limit"], values["pause"], values["prepared_full"], values["also"]
        )

    def _timeouts(self, entry: dict[str, Any]) -> Timeouts:
        values = self._table(entry, "timeouts", _schema.TIMEOUTS)
        return Timeouts(values["path"], values["answer"] or None, values["check"])

    def _limits(self, entry: dict[str, Any], axes: Mapping[str, Any], targets: Sequence[Target]) -> StudyLimits:
        limits = StudyLimits(**self._table(entry, "limits", _schema.LIMITS))
        tier_bytes, most = max(axes["tier"]), max(axes["concurrency"])
        running_target = next((target for target in targets if target.engine.source_kind == "server"), None)
        if limits.memory is not None and running_target is not None:
            what = f"'{running_target.name}' is a running server, so dbdyno can't limit its memory"
            self._fail("limits", "memory", what, remedy="remove `memory` from [limits], and limit that server yourself")
        if limits.memory is not None and limits.memory.bytes_at(tier_bytes) <= tier_bytes:
            what = f"a limit of {limits.memory} does not exceed the tier of {format_memory(tier_bytes)}"
            why = "a server needs memory besides its buffer pool or block cache"
            self._fail("limits", "memory", what, why, 'write for example "tier + 512MB"')
        if limits.connections is not None and limits.connections < most:
            what = f"servers would be configured for {limits.connections} connections and driven by {most}"
            self._fail(
                "limits",
                "connections",
                what,
                remedy=f"write at least {most}, or remove it",
                code="connections-exceeded",
            )
        return limits

    def _servers(self, tables: Mapping[str, Any]) -> dict[str, ServerAddress]:
        servers = {}
        for name, entry in tables.items():
            table = f"servers.{name}"
            if not isinstance(entry, dict):
                self._fail("servers", name, f"[{table}] is not a table")
            values = self._table(entry, table, _schema.SERVER)
            if (values["socket"] is None) == (values["host"] is None):
                self._fail(table, "socket", f"[{table}] needs either socket or host", remedy="keep one of the two")
            if values["password_file"] is not None and values["password_env"] is not None:
                self._fail(table, "password_env", f"[{table}] gives the password twice", remedy="remove one of the two")
            if values["tls"].startswith("verify-") != (values["tls_ca"] is not None):
                needs = "needs tls_ca" if values["tls_ca"] is None else "ignores tls_ca"
                remedy = "add the PEM file of the certificate authority, or choose another tls"
                if values["tls_ca"] is not None:
                    remedy = 'write tls = "verify-ca" or "verify-identity", or remove tls_ca'
                self._fail(table, "tls", f'tls = "{values["tls"]}" {needs}', remedy=remedy)
            servers[name] = ServerAddress(name=name, **values)
        return servers


def question_words(study: Study) -> str:
    """Return the question for people: where nobody asked one, with the targets as their vendors write them."""
    names = [target.name for target in study.targets]
    if study.question != default_question(names):
        return study.question or study.name
    if len(names) > _MOST_NAMED:
        return f"Which of {counted(len(names), 'target')} is fastest?"
    words = default_question([target_title(name) for name in names])
    return words if len(names) <= 2 else words.replace("faster", "fastest", 1)


def default_question(names: Sequence[str]) -> str:
    """Return the question of a study that asks none."""
    if len(names) == 1:
        return f"How fast is {names[0]}?"
    return f"Which is faster: {', '.join(names[:-1])} or {names[-1]}?"
