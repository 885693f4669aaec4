"""From the options of `dbdyno compare` to the study that they mean."""

from __future__ import annotations

import argparse
import re

from dbdyno.cli._options import parse_share
from dbdyno.core import StudyError, parse_duration_ns
from dbdyno.study import OPTION_ALIASES as ALIASES
from dbdyno.study import Study, full_name, nearest, options_of, parse_study, study_text

_SOURCE = "command line"


def parse_choices(choices: argparse.Namespace) -> Study:
    """Build the study file that the options mean and read it, so that both ways have one set of checks.

    Raises
    ------
    StudyError : a value is wrong; the message names the option
    """
    lines = [f"name = {_quoted(choices.name)}"] if choices.name else []
    lines.append(f"policy = {_quoted(choices.policy)}")
    if choices.each is None:
        lines.append(f"targets = {_list(choices.targets)}")
    else:
        lines += _targets_each(choices.targets, choices.each)
    lines += [
        "[workload]",
        f"name = {_quoted(choices.workload)}",
        *_workload_options(choices.workload, choices.workload_options),
    ]
    lines += ["[axes]", f"tier = {_list(choices.tier.split(','))}"]
    lines += [f"concurrency = {_whole_list(choices.concurrency)}", f"route = {_list(choices.route.split(','))}"]
    lines += ["[settings]", *(_setting(word) for word in choices.settings)]
    lines += ["[measure]", f"warm_up = {_quoted(choices.warm_up)}", f"window = {_quoted(choices.window)}"]
    lines += _open_ends(choices)
    lines += [f"sentinel = {_quoted(choices.sentinel)}"] if choices.sentinel else []
    lines += [f"repeats = {choices.repeats}", f"seed = {choices.seed}", f"protocol = {_quoted(choices.protocol)}"]
    lines.append(f"equivalence_events = {choices.equivalence_events}")
    if choices.rate is not None:
        lines += ["[pacing]", f"rate_per_s = {choices.rate}"]
    pins = {"server": choices.pin_server, "client": choices.pin_client}
    lines += ["[pinning]", *(f"{who} = {_quoted(cpus)}" for who, cpus in pins.items() if cpus)]
    try:
        study = parse_study("\n".join(lines), _SOURCE)
    except StudyError as error:
        # The line number is one of a file that the user never saw.
        raise StudyError(re.sub(rf"^{_SOURCE}:\d+: ", f"{_SOURCE}: ", error.what), error.why, error.remedy) from error
    # Written and read once more: what goes into the results folder is what is run.
    return parse_study(study_text(study), _SOURCE)


def _open_ends(choices: argparse.Namespace) -> list[str]:
    given = {"warm_up_max": choices.warm_up_max, "window_max": choices.window_max}
    lines = [f"{key} = {_quoted(value)}" for key, value in given.items() if value is not None]
    if choices.target_half_width is not None:
        share = parse_share(choices.target_half_width, "half-width", "--target-half-width 2%")
        lines.append(f"target_half_width = {share}")
    if choices.window == "auto" and choices.window_max is not None:
        # A short cap is meant: what must be driven before the first look is lowered to what it allows.
        most_s = parse_duration_ns(choices.window_max) // 10**9
        lines.append(f'window_min = "{min(180, max(most_s - 60, 60))}s"')
    return lines


def _targets_each(engines: list[str], each: str) -> list[str]:
    """Every engine with every value, named by both."""
    option, equals, values = each.partition("=")
    if not (option and equals and values):
        raise StudyError(
            f"--each '{each}' names no values", "", "write for example --each table_compression=none,page-compressed"
        )
    lines = []
    for engine in engines:
        for value in (value.strip() for value in values.split(",")):
            lines += ["[[target]]", f"name = {_quoted(f'{engine} {value}')}", f"engine = {_quoted(engine)}"]
            lines.append(f"workload = {{{option.removeprefix('--').replace('-', '_')} = {_quoted(value)}}}")
    return lines


def _setting(word: str) -> str:
    name, equals, value = word.partition("=")
    if not (equals and name.strip() and value.strip()):
        raise StudyError(f"--set '{word}' sets nothing", "", "write for example --set redo.capacity=4GB")
    return f"{_quoted(name.strip())} = {_quoted(value.strip())}"


def _workload_options(workload: str, extra: list[str]) -> list[str]:
    name = full_name(workload) or workload  # an unknown one is the reader's to refuse
    known = [*options_of(name), *ALIASES] if full_name(workload) else []
    options, words = [], list(extra)
    while words:
        word = words.pop(0)
        key, equals, value = word.removeprefix("--").partition("=")
        key = key.replace("-", "_")
        if not word.startswith("--") or (known and key not in known):
            raise StudyError(f"unknown option '{word}'", f"options of {name}: {', '.join(known)}", nearest(key, known))
        if not equals:
            if not words:
                raise StudyError(f"option '{word}' has no value", "", f"write {word}=VALUE")
            value = words.pop(0)
        options.append(f"{key} = {_quoted(value)}")
    return options


def _whole_list(text: str) -> str:
    if not re.fullmatch(r"\s*\d+\s*(,\s*\d+\s*)*", text):
        raise StudyError(
            f"--concurrency '{text}' is not a list of numbers", "", "write for example --concurrency 1,4,16"
        )
    return f"[{text}]"


def _list(items: list[str]) -> str:
    return f"[{', '.join(_quoted(item.strip()) for item in items)}]"


def _quoted(text: str) -> str:
    if any(ord(sign) < 32 or ord(sign) == 127 or 0xD800 <= ord(sign) < 0xE000 for sign in text):
        raise StudyError(f"{text!r} holds signs that are no text", "", "write plain text; --name names the study")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
