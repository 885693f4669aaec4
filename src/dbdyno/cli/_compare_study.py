"""Writes the study that the options of `dbdyno compare` mean, and reads it."""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from dbdyno.cli._bench_options import chosen_places
from dbdyno.cli._color import tell
from dbdyno.cli._options import parse_share
from dbdyno.cli._other_tools import meant_option, whole_number
from dbdyno.cli._running_servers import quoted, server_lines
from dbdyno.core import StudyError, parse_duration_ns, parse_engine_name
from dbdyno.engines import parameters_of_option, vocabulary
from dbdyno.nearest import nearest
from dbdyno.study import (
    BUDGET,
    ServerAddress,
    Study,
    concerns,
    dataset_name,
    family_name,
    full_name,
    options_of,
    parse_study,
    study_text,
    workload_names,
)
from dbdyno.study import OPTION_ALIASES as ALIASES

_SOURCE = "command line"
_OPTIONS_BY_KEY = {"rate_per_s": "--rate", "server": "--pin-server", "client": "--pin-client"}
"""Key of a study file -> the option that writes it, where that is called otherwise."""


def parse_choices(
    choices: argparse.Namespace, workload_lines: Sequence[str], servers: Mapping[str, tuple[str, ServerAddress]]
) -> Study:
    """Build the study file that the options mean and read it, so that both ways have one set of checks.

    Parameters
    ----------
    workload_lines : options of the workload, as lines
    servers : those that run already, see `running_servers`

    Raises
    ------
    StudyError : a value is wrong; the message names the option
    """
    lines = [f"name = {quoted(choices.name)}"] if choices.name else []
    lines.append(f"policy = {quoted(choices.policy)}")
    named = [*((engine, engine) for engine in choices.targets), *((name, servers[name][0]) for name in servers)]
    if choices.vary:
        lines += _varied_target_lines(named, choices.vary, choices.workload)
    else:
        lines += [f"targets = {_quoted_list(choices.targets)}"] if choices.targets else []
        lines += [line for name in servers for line in _target_lines(name, servers[name][0])]
    lines += [line for _, address in servers.values() for line in server_lines(address)]
    lines += ["[workload]", f"name = {quoted(choices.workload)}", *workload_lines]
    lines += ["[axes]", f"tier = {_quoted_list(choices.tier.split(','))}"]
    by_host = any(address.host for _, address in servers.values())
    route = choices.route or ("loopback" if by_host else "socket")
    lines += [f"concurrency = {_concurrencies(choices)}", f"route = {_quoted_list(route.split(','))}"]
    lines += ["[settings]", *(_setting_line(word) for word in choices.settings)]
    lines += ["[measure]", f"warm_up = {quoted(choices.warm_up)}", f"window = {quoted(choices.window)}"]
    lines += _adaptive_length_lines(choices)
    lines += [f"sentinel = {quoted(choices.sentinel)}"] if choices.sentinel else []
    lines += [f"repeats = {choices.repeats}", f"seed = {choices.seed}", f"protocol = {quoted(choices.protocol)}"]
    lines.append(f"equivalence_events = {choices.equivalence_events}")
    if choices.rate is not None:
        lines += ["[pacing]", f"rate_per_s = {_parse_rate(choices.rate)}"]
    pins = {"server": choices.pin_server, "client": choices.pin_client}
    lines += ["[pinning]", *(f"{role} = {quoted(cpus)}" for role, cpus in pins.items() if cpus)]
    try:
        study = parse_study("\n".join(lines), _SOURCE, places=chosen_places(choices))
    except StudyError as error:
        # The line number is one of a file that the user never saw, and its keys are options here.
        problem = re.sub(rf"^{_SOURCE}:\d+: ", "", error.what)
        key = re.match(r"'(\w+)'(?= is| contains)", problem)
        if key and (key[1] in vars(choices) or key[1] in _OPTIONS_BY_KEY):
            option = _OPTIONS_BY_KEY.get(key[1], f"--{key[1].replace('_', '-')}")
            option = getattr(choices, "typed", {}).get(key[1], option)
            problem = f"{option}{problem[key.end() :]}"
        raise StudyError(problem, error.why, error.remedy) from error
    # Written and read once more: what goes into the results folder is what is run.
    return parse_study(study_text(study), _SOURCE)


def _adaptive_length_lines(choices: argparse.Namespace) -> list[str]:
    length_choices = {"warm_up_max": choices.warm_up_max, "window_max": choices.window_max}
    lines = [f"{key} = {quoted(value)}" for key, value in length_choices.items() if value is not None]
    if choices.target_half_width is not None:
        share = parse_share(choices.target_half_width, "half-width", "--target-half-width 2%")
        lines.append(f"target_half_width = {share}")
    if choices.window == "auto" and choices.window_max is not None:
        # The user set a short cap: the time before the first check is lowered to fit it.
        most_s = parse_duration_ns(choices.window_max) // 10**9
        lines.append(f'window_min = "{min(180, max(most_s - 60, 60))}s"')
    return lines


def _target_lines(name: str, engine: str) -> list[str]:
    return ["[[target]]", f"name = {quoted(name)}", f"engine = {quoted(engine)}"]


def _varied_target_lines(named: Sequence[tuple[str, str]], variations: Sequence[str], workload: str) -> list[str]:
    """Return every engine with every combination of values, named by them; a name with a dot is a neutral parameter.

    An engine whose tables a setting does not concern is not repeated for its values, if another engine has the setting.

    Raises
    ------
    StudyError : something has no values, is varied twice, or can't be varied
    """
    axes: dict[str, list[str]] = {}
    for word in variations:
        name, values = _parse_variation(word, workload)
        if name in axes:
            remedy = f"give its values in one list: --vary {name}={','.join([*axes[name], *values])}"
            raise StudyError(f"--vary {name} is given twice", "", remedy, code="given-twice")
        axes[name] = values
    lines = []
    for title, engine in named:
        engine_axes = _axes_of(engine, axes, [other for _, other in named])
        for combination in itertools.product(*engine_axes.values()):
            chosen = dict(zip(engine_axes, combination, strict=True))
            lines += _target_lines(" ".join([title, *(_value_title(*pair) for pair in chosen.items())]), engine)
            for key in ("settings", "workload"):
                table_entries = [
                    f"{quoted(k)} = {quoted(v)}" for k, v in chosen.items() if ("." in k) == (key == "settings")
                ]
                lines += [f"{key} = {{{', '.join(table_entries)}}}"] if table_entries else []
    return lines


_SWITCH_WORDS = frozenset({"on", "off", "true", "false", "yes", "no"})


def _value_title(name: str, value: str) -> str:
    """Return how a value is called in a target's name: words and sizes by themselves, switches and numbers by both.

    >>> _value_title("commit.durability", "full"), _value_title("redo.capacity", "4GB")
    ('full', '4GB')
    >>> _value_title("tls.available", "ON"), _value_title("flush.neighbors", "0")
    ('tls.available=ON', 'flush.neighbors=0')
    """
    is_telling = value.lower() not in _SWITCH_WORDS and any(letter.isalpha() for letter in value)
    return value if is_telling else f"{name}={value}"


def _axes_of(engine: str, axes: Mapping[str, list[str]], engines: Sequence[str]) -> dict[str, list[str]]:
    """Return what is varied of one engine; a setting that no engine has is left for the study to refuse."""
    axes_of_engine = {}
    for name, values in axes.items():
        if _has_setting(engine, name) or not any(_has_setting(other, name) for other in engines):
            axes_of_engine[name] = values
        else:
            tell(f"note: {name} does not apply to {engine}, which runs without it")
    return axes_of_engine


def _has_setting(engine: str, name: str) -> bool:
    """Return whether tables of an engine have a setting; options of a workload are every engine's.

    A name that can't be read, or is no setting's, is left for the study to refuse.
    """
    with suppress(StudyError):
        return name not in vocabulary() or concerns(name, parse_engine_name(engine).storage_engine)
    return True


def _parse_variation(word: str, workload: str) -> tuple[str, list[str]]:
    """Return name and values of one --vary; an option of `compare` or of a server is answered by what carries it."""
    name, separator, text = word.partition("=")
    name = name.strip().removeprefix("--")
    values = [value.strip() for value in text.split(",")]
    if not (name and separator and all(values)):
        remedy = "write for example --vary table_compression=none,page-compressed or --vary redo.capacity=1GB,4GB"
        raise StudyError(f"--vary '{word}' has no values", "", remedy)
    if "." in name:
        return name, values
    workload_name, key = full_name(workload), name.replace("-", "_")
    if workload_name is None or key in _known_options(workload_name):
        return key, values
    problem = f"--vary '{word}' names no option of {workload_name}"
    if name in _LISTS:
        raise StudyError(problem, f"--{name} takes several values itself", f"did you mean --{name} {text}?")
    neutral = parameters_of_option(name)
    if BUDGET in neutral:
        raise StudyError(problem, "memory is compared by its tier", f"did you mean --memory {text}?")
    if neutral:
        raise StudyError(problem, "", f"did you mean --vary {neutral[0]}={text}?")
    hint = f"dbdyno-load workloads lists the options of {workload_name}, dbdyno settings the settings"
    raise StudyError(problem, "", nearest(key, [*_known_options(workload_name), *vocabulary()], hint))


_LISTS = frozenset({"tier", "memory", "concurrency", "threads", "users", "connections", "route"})
"""Options of this command whose values are lists."""


def _known_options(workload: str) -> list[str]:
    """Return options of a workload by its full name, with the aliases that mean one of them."""
    options = options_of(workload)
    return [*options, *(alias for alias, canonical in ALIASES.items() if canonical in options)]


def _setting_line(word: str) -> str:
    name, separator, value = word.partition("=")
    if not (separator and name.strip() and value.strip()):
        raise StudyError(f"--set '{word}' sets nothing", "", "write for example --set redo.capacity=4GB")
    return f"{quoted(name.strip())} = {quoted(value.strip())}"


SIZES = {"tables": 4, "table_size": 100_000}
"""Of sysbench's tables where nobody gives a size: sysbench's own 10,000 rows of one table are 2 MB, and 16 connections
mostly wait for each other's rows there. The tables of bulk_insert begin without rows, one for each connection."""


def workload_option_lines(
    workload: str, option_words: list[str], own_options: Sequence[str], variations: Sequence[str] = ()
) -> list[str]:
    """Return options of the workload as lines of a study file; with a size where neither words nor variations give one.

    Parameters
    ----------
    option_words : as they were typed, such as ``--tables=4``
    own_options : of the command, to suggest for a mistyped one
    variations : values of ``--vary``

    Raises
    ------
    StudyError : the workload has no such option, or its value is wrong
    """
    name = full_name(workload) or workload  # the study reader refuses unknown ones
    known_options = _known_options(name) if full_name(workload) else []
    is_plain_tpcc = name in ("tpcc", "tpcc/standard") and not any(word.startswith("--dialect") for word in option_words)
    options = []
    given_keys = {word.partition("=")[0].strip().removeprefix("--").replace("-", "_") for word in variations}
    for word in option_words:
        option, separator, value = word.partition("=")
        key = option.removeprefix("--").replace("-", "_")
        if (
            not option.startswith("--")
            or (known_options and key not in known_options)
            or (is_plain_tpcc and key == "tables")
        ):
            raise _unknown_option_error(option, value, name, own_options, known_options)
        if not separator:
            raise StudyError(f"option '{option}' has no value", "", f"write {option}=VALUE")
        _check_whole(option, value, name, key)
        options.append(f"{key} = {quoted(value)}")
        given_keys.add(key)
    if dataset_name(name) == "sysbench" and SIZES.keys().isdisjoint(ALIASES.get(key, key) for key in given_keys):
        options += [f"{key} = {value}" for key, value in SIZES.items() if key in known_options]
    return options


_SIZES = {"tpcc": ("TPC-C", "--warehouses"), "linkbench": ("LinkBench", "--maxid1"), "insert-benchmark": ("", "--nr1")}
"""Family -> its name for people, and the option that says how much data it fills."""


def _unknown_option_error(
    option: str, value: str, workload: str, own_options: Sequence[str], known_options: Sequence[str]
) -> StudyError:
    title, size = _SIZES.get(family_name(workload), ("", ""))
    if size and option in ("--tables", "--rows", "--table-size", "--scale", "--warehouses"):
        return StudyError(f"{title or workload} has no {option}", "", f"its size is {size} N")
    if option.isdecimal():
        return StudyError(f"'{option}' follows no option", "", "join a list by commas, such as --concurrency 1,4,16")
    if hint := meant_option("dbdyno compare", option, value, own_options):
        return StudyError(f"unknown option '{option}'", "", hint)
    if workload_words := _workloads_with(option):
        remedy = f"did you mean --workload {workload_words} {option} {value}".rstrip() + "?"
        return StudyError(f"{workload} has no {option}", "", remedy)
    all_options = [*own_options, *(f"--{name.replace('_', '-')}" for name in known_options)]
    help_hint = f"dbdyno compare -h lists its options, dbdyno-load workloads those of {workload}"
    return StudyError(f"unknown option '{option}'", "", nearest(option, all_options, help_hint))


def _workloads_with(option: str) -> str:
    """Return the workload whose option one is; empty of none or several families."""
    key = option.removeprefix("--").replace("-", "_")
    families = {family_name(name): name for name in reversed(workload_names()) if key in _known_options(name)}
    return next(iter(families.values())) if len(families) == 1 else ""


def _check_whole(option: str, value: str, workload: str, key: str) -> None:
    """Refuse a count that is written rounded, such as 10k, by the number that it means."""
    option_spec = options_of(workload).get(ALIASES.get(key, key)) if full_name(workload) else None
    number = whole_number(value)
    if (
        option_spec is not None
        and option_spec.default.isdecimal()
        and number is not None
        and not value.strip().isdecimal()
    ):
        raise StudyError(f"{option} {value} is not written as a whole number", "", f"did you mean {option} {number}?")


def _parse_rate(text: str) -> float:
    try:
        return float(text.removesuffix("/s"))
    except ValueError:
        raise StudyError(f"--rate '{text}' is not a number", "", "write for example --rate 500") from None


def _concurrencies(choices: argparse.Namespace) -> str:
    text: str = choices.concurrency
    if not re.fullmatch(r"\s*\d+\s*(,\s*\d+\s*)*", text):
        option = getattr(choices, "typed", {}).get("concurrency", "--concurrency")
        raise StudyError(f"{option} '{text}' is not a list of numbers", "", f"write for example {option} 1,4,16")
    return f"[{text}]"


def _quoted_list(items: list[str]) -> str:
    return f"[{', '.join(quoted(item.strip()) for item in items)}]"
