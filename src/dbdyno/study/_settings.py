"""Reads and describes neutral parameters: names of two parts, as nested tables or with dots."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dbdyno.core import Policy, StudyError
from dbdyno.engines import (
    SettingValue,
    known_options,
    parameters_of_option,
    read_setting,
    setting_text,
    vocabulary,
)
from dbdyno.study._values import Study

BUDGET = "memory.budget"
"""Another word for the axis ``tier`` of a study with one memory size."""


class InvalidSetting(Exception):
    """Reports a setting that can't be read; `key` is its name as the file writes it."""

    def __init__(self, key: str, what: str, why: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.key, self.what, self.why, self.remedy = key, what, why, remedy


def flatten(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by dotted names.

    >>> flatten({"redo": {"capacity": "4GB"}, "commit.durability": "full"})
    {'redo.capacity': '4GB', 'commit.durability': 'full'}
    """
    values: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            values |= {f"{key}.{inner}": inner_value for inner, inner_value in flatten(value).items()}
        else:
            values[key] = value
    return values


def read_settings(table: Mapping[str, Any]) -> dict[str, SettingValue]:
    """Return values of neutral parameters, in their units.

    Raises
    ------
    InvalidSetting : an unknown name (the nearest is given), or a value that it can't have
    """
    values: dict[str, SettingValue] = {}
    for key, value in flatten(table).items():
        name = key.lower().replace("-", "_")
        if name not in vocabulary():
            raise InvalidSetting(key, f"unknown setting '{key}'", *_unknown_setting_words(name))
        try:
            values[name] = read_setting(name, value)
        except ValueError as error:
            title = vocabulary()[name][0].title
            raise InvalidSetting(key, f"'{key}' is {value!r} but must be {error}", title) from error
    return values


def split_old(table: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return neutral parameters and server options of a table that holds both, as study files once did.

    >>> split_old({"redo": {"capacity": "4GB"}, "innodb-doublewrite": "OFF"})
    ({'redo': {'capacity': '4GB'}}, {'innodb-doublewrite': 'OFF'})
    """
    options = {k: v for k, v in table.items() if not isinstance(v, Mapping) and "." not in k and _is_option(k)}
    return {key: value for key, value in table.items() if key not in options}, options


def _is_option(key: str) -> bool:
    return key.lower().replace("-", "_") in known_options()


def _unknown_setting_words(name: str) -> tuple[str, str]:
    """Return why, and what to do."""
    if name == BUDGET:
        return "the memory tier is an axis, the same for all targets", "set it in [settings], or as axes.tier"
    names = list(vocabulary())
    neutral = parameters_of_option(name)
    if BUDGET in neutral:
        return f"{name} is the memory that is compared", "use --tier, or axes.tier in a study"
    if neutral:
        return f"{name} is not an option of all servers", (
            f"did you mean '{neutral[0]}', which sets it on all servers? A server's own option goes into "
            "[target.options]"
        )
    same_letters = [known for known in names if known.replace(".", "_") == name.replace("-", "_").replace(".", "_")]
    if same_letters:
        return "settings have a group and a name, with a dot between them", f"did you mean '{same_letters[0]}'?"
    if "." not in name and "_" in name:
        return "settings have neutral names, such as redo.capacity", (
            "write a server's own option into [target.options] of its target; `dbdyno settings` lists the neutral names"
        )
    last_part = name.rpartition(".")[2]
    names_near = difflib.get_close_matches(name, names, n=1, cutoff=0.6) if "." in name else []
    names_near = names_near or [known_name for known_name in names if known_name.rpartition(".")[2] == last_part]
    names_near = names_near or difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = "`dbdyno settings` lists them all"
    if not names_near:
        return f"no setting contains '{name}'", hint
    return "", f"did you mean {' or '.join(repr(known_name) for known_name in names_near)}? {hint}"


POLICIES = ("aligned", "vendor", "tuned")
_WORDS = {
    "aligned": "aligned, settings chosen for equal effect on all targets",
    "vendor": "vendor, each server with its vendor's defaults except for its memory tier",
    "tuned": "tuned, each target with its own option file except for its memory tier",
}


def _policy_words(study: Study, remains: str) -> str:
    aligned_words = f"aligned; {remains}" if remains else _WORDS["aligned"]
    words = aligned_words if study.policy == "aligned" else _WORDS[study.policy]
    running = [target.name for target in study.targets if target.engine.source_kind == "server"]
    if not running:
        return words
    if len(running) == len(study.targets):
        return "none, running servers keep their settings"
    return f"{words}, except for {', '.join(running)}: running servers keep their settings"


def settings_lines(study: Study, remains: str = "") -> list[str]:
    """Return the policy, what all targets get, what single ones get; one line each.

    Parameters
    ----------
    remains : what an audit found the aligned targets to differ in; empty: nothing, or it is only planned
    """
    lines = [f"policy: {_policy_words(study, remains)}"] if study.imported is None else []
    if study.settings:
        lines.append(f"settings: {_settings_words(dict(study.settings))}")
    for target in study.targets:
        if target.settings:
            lines.append(f"settings of {target.name}: {_settings_words(dict(target.settings))}")
        if target.options:
            words = ", ".join(f"{name} = {value}" for name, value in target.options.items())
            lines.append(f"options of {target.name}: {words}")
        if target.options_file:
            count = len(target.file_options)
            lines.append(
                f"options of {target.name}: {count} from {target.options_file}, SHA-256 {target.options_sha256[:12]}"
            )
    return lines


def settings_object(study: Study) -> dict[str, Any]:
    """Build the same for programs; the policy of imported results is not known."""
    targets = {
        target.name: {
            "settings": dict(target.settings),
            "options": dict(target.options),
            **({"options_file": target.options_file, "sha256": target.options_sha256} if target.options_file else {}),
        }
        for target in study.targets
        if target.settings or target.options or target.options_file
    }
    policy = study.policy if study.imported is None else None
    return {"policy": policy, "settings": dict(study.settings), "target_settings": targets}


def with_policy(study: Study, policy: Policy | None) -> Study:
    """Return the study by another policy, under another name: results of several policies are not one study.

    Raises
    ------
    StudyError : what the study sets has no place under it
    """
    if policy is None or policy == study.policy:
        return study
    if study.policy == "tuned":
        raise StudyError(
            f"--policy {policy}: the study is tuned: its targets have option files",
            "without them, its targets would be different ones",
            "write a study without them",
        )
    if policy == "tuned":
        raise StudyError(
            "--policy tuned: the study names no option files",
            "each tuned target needs one",
            'write policy = "tuned" into the study, and options_file into each [[target]]',
        )
    given_settings = [
        *study.settings,
        *(name for target in study.targets for name in (*target.settings, *target.options)),
    ]
    if policy == "vendor" and given_settings:
        raise StudyError(
            f"--policy vendor does not allow settings ({', '.join(given_settings[:3])})",
            "vendor means defaults",
            "write a study without them",
        )
    return replace(study, policy=policy, name=f"{study.name}-{policy}")


def check_running_servers(study: Study) -> None:
    """Refuse to compare values of what dbdyno does not change: the settings and the memory of running servers.

    Raises
    ------
    StudyError : the runs would be listed under a setting or a memory size that no server has
    """
    running = [target for target in study.targets if target.engine.source_kind == "server"]
    are_all_running = len(running) == len(study.targets)
    for target in running:
        names = [*target.settings, *target.options, *filter(None, (target.options_file,))]
        if names or (are_all_running and study.settings):
            raise StudyError(
                f"{target.name} is a running server, so dbdyno can't set {', '.join(names or study.settings)} there",
                "",
                "change it in that server, then measure without this setting; or name an engine that dbdyno starts",
                code="running-server",
            )
    if are_all_running and len(study.tiers_bytes) > 1:
        raise StudyError(
            f"{running[0].name} is a running server, so dbdyno can't vary its memory",
            f"the study has {len(study.tiers_bytes)} memory sizes",
            "change the buffer pool in that server, then measure with one size; or name an engine that dbdyno starts",
            code="running-server",
        )


def _settings_words(settings: dict[str, float | str]) -> str:
    return ", ".join(f"{name} = {setting_text(name, value)}" for name, value in settings.items())
