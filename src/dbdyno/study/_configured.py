"""How a study configures its targets, in words: its policy, and what it sets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dbdyno.core import Policy, StudyError
from dbdyno.engines import setting_text
from dbdyno.study._values import Study

POLICIES = ("aligned", "vendor", "tuned")
_WORDS = {
    "aligned": "aligned, equal in effect on all targets",
    "vendor": "vendor, each server as it comes, but for its memory tier",
    "tuned": "tuned, each target by an option file of its own, but for its memory tier",
}


def settings_lines(study: Study) -> list[str]:
    """The policy, what all targets get, what single ones get; one line each."""
    lines = [f"policy: {_WORDS[study.policy]}"] if study.imported is None else []
    if study.settings:
        lines.append(f"settings: {_listed(dict(study.settings))}")
    for target in study.targets:
        if target.settings:
            lines.append(f"settings of {target.name}: {_listed(dict(target.settings))}")
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
    """The same for programs; the policy of imported results is not known."""
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
    """The study by another policy, under a name of its own: results of several policies are not one study.

    Raises
    ------
    StudyError : what the study sets has no place under it
    """
    if policy is None or policy == study.policy:
        return study
    if study.policy == "tuned":
        raise StudyError(
            f"--policy {policy}: the study is tuned, by option files of its targets",
            "without them its targets would be others",
            "write a study without them",
        )
    if policy == "tuned":
        raise StudyError(
            "--policy tuned: the study names no option files",
            "a tuned target has one of its own",
            'write policy = "tuned" into the study, and options_file into each [[target]]',
        )
    given = [*study.settings, *(name for target in study.targets for name in (*target.settings, *target.options))]
    if policy == "vendor" and given:
        raise StudyError(
            f"--policy vendor leaves no room for settings ({', '.join(given[:3])})",
            "vendor means defaults",
            "write a study without them",
        )
    return replace(study, policy=policy, name=f"{study.name}-{policy}")


def _listed(settings: dict[str, float | str]) -> str:
    return ", ".join(f"{name} = {setting_text(name, value)}" for name, value in settings.items())
