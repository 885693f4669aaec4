"""Writes a study as the text of a study file, so that a good quick comparison becomes a study."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.core import ContainerChoice, Target, memory_text
from dbdyno.engines import SettingValue, setting_toml
from dbdyno.study._hosts import benches_text
from dbdyno.study._limits import USUAL
from dbdyno.study._pacing import duration_text
from dbdyno.study._routes import routes_text
from dbdyno.study._schema import SERVER
from dbdyno.study._toml_text import quoted
from dbdyno.study._values import Study, WorkloadChoice
from dbdyno.study._workloads import OptionValue


def study_text(study: Study) -> str:
    r"""Return the study file; reading it back gives an equal study.

    >>> from dbdyno.study import parse_study
    >>> text = 'targets = ["mysql:9.7"]\nworkload.name = "oltp_read_only"\naxes = {tier = "64MB", concurrency = 4}'
    >>> study = parse_study(text, "example.toml")
    >>> parse_study(study_text(study), "other.toml") == study
    True
    """
    plain_targets = [target for target in study.targets if target == Target(str(target.engine), target.engine)]
    is_simple = len(plain_targets) == len(study.targets)
    sections = [f"name = {quoted(study.name)}", f"question = {quoted(study.question)}"]
    if study.policy != "aligned":
        sections.append(f"policy = {quoted(study.policy)}")
    if study.scaled:
        sections.append(f"scaled = {quoted(study.scaled)}")
    if is_simple:
        sections.append(f"targets = [{', '.join(quoted(target.name) for target in plain_targets)}]")
    else:
        sections.extend(_target_text(target) for target in study.targets)
    if study.settings:
        sections.append("\n[settings]\n" + "\n".join(_setting_lines(study.settings)))
    sections.extend(_workload_text(choice) for choice in study.workloads)
    sections.append(
        "\n[axes]\n"
        f"tier = [{', '.join(quoted(memory_text(tier)) for tier in study.tiers_bytes)}]\n"
        f"concurrency = {list(study.concurrencies)}\n"
        f"route = [{', '.join(quoted(route) for route in study.routes)}]"
    )
    sections.append(
        "\n[measure]\n" + (_measure_text(study) if study.imported is None else _imported_measure_text(study))
    )
    tables = (_pacing_text, _errors_text, _pinning_text, _limits_text, _timeouts_text, _audit_text, _servers_text)
    sections.append("".join(text(study) for text in tables))
    sections.append(benches_text(study))
    sections.append(routes_text(study))
    sections.append(_imported_text(study))
    return "\n".join(section for section in sections if section) + "\n"


def _imported_measure_text(study: Study) -> str:
    """Return all that logs say of how their runs were made."""
    return f"window = {quoted(_seconds_text(study.window_ns))}\nrepeats = {study.repeats}"


def _measure_text(study: Study) -> str:
    return (
        f"{_lengths_text(study)}\n"
        f"settle = {quoted(_seconds_text(study.settle_ns))}\n"
        f"repeats = {study.repeats}\nseed = {study.seed}\norder = {quoted(study.order)}\n"
        f"protocol = {quoted(study.protocol)}\nrng = {quoted(study.rng)}\n"
        f"equivalence_events = {study.equivalence_events}"
        + _further_repeats_text(study)
        + _ladder_text(study)
        + (f"\nsentinel = {quoted(study.sentinel)}" if study.sentinel else "")
        + ("" if study.after_run == "discard" else f"\nafter_run = {quoted(study.after_run)}")
    )


def _further_repeats_text(study: Study) -> str:
    if study.repeats_max is None:
        return ""
    widths = f"level_target_half_width = {study.level_target_half_width}"
    return f"\nrepeats_max = {study.repeats_max}\n{widths}"


def _ladder_text(study: Study) -> str:
    if study.restore == "run":
        return ""
    return f'\nrestore = "ladder"\nstep_warm_up = {quoted(_seconds_text(study.step_warm_up_ns))}'


def _lengths_text(study: Study) -> str:
    ends, lines = study.adaptive_length, list[str]()
    warm_up, window = quoted(_seconds_text(study.warm_up_ns)), quoted(_seconds_text(study.window_ns))
    lines.append(f'warm_up = "auto"\nwarm_up_max = {warm_up}' if ends.warm_up else f"warm_up = {warm_up}")
    if ends.window_least_ns is None:
        lines.append(f"window = {window}")
    else:
        window_min = quoted(_seconds_text(ends.window_least_ns))
        lines.append(f'window = "auto"\nwindow_min = {window_min}\nwindow_max = {window}')
        lines.append(f"target_half_width = {ends.target_half_width}")
    if not ends.gates:
        lines.append('gates = "off"')
    return "\n".join(lines)


def _target_text(target: Target) -> str:
    lines = ["\n[[target]]", f"name = {quoted(target.name)}", f"engine = {quoted(str(target.engine))}"]
    if target.throttled_share:
        lines.append(f"throttled_share = {target.throttled_share}")
    if target.delays.flush_ns:
        lines.append(f"flush_delay = {quoted(duration_text(target.delays.flush_ns))}")
    if target.delays.read_ns:
        lines.append(f"read_delay = {quoted(duration_text(target.delays.read_ns))}")
    if target.options_file:
        lines.append(f"options_file = {quoted(target.options_file)}")
        lines.append(f"options_sha256 = {quoted(target.options_sha256)}")
        lines.append("[target.file_options]")
        lines.extend(
            f"{quoted(option)} = {'true' if value is None else quoted(value)}"
            for option, value in target.file_options.items()
        )
    if target.settings:
        lines.append("[target.settings]")
        lines.extend(_setting_lines(target.settings))
    if target.options:
        lines.append("[target.options]")
        lines.extend(f"{quoted(option)} = {quoted(value)}" for option, value in target.options.items())
    if target.container != ContainerChoice():
        lines.append(f"[target.container]\nnetwork = {quoted(target.container.network)}")
        if target.container.memory_bytes is not None:
            lines.append(f"memory = {quoted(memory_text(target.container.memory_bytes))}")
    if target.workload_options:
        lines.append("[target.workload]")
        lines.extend(f"{option} = {_toml_value(value)}" for option, value in target.workload_options.items())
    return "\n".join(lines)


def _setting_lines(settings: Mapping[str, SettingValue]) -> list[str]:
    return [
        f"{name} = {quoted(text) if isinstance(value, str) or not _is_number(text) else text}"
        for name, value in settings.items()
        for text in [setting_toml(name, value)]
    ]


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _workload_text(choice: WorkloadChoice) -> str:
    lines = ["\n[[workload]]", f"name = {quoted(choice.name)}"]
    if choice.label != choice.name:
        lines.append(f"label = {quoted(choice.label)}")
    lines.extend(f"{option} = {_toml_value(value)}" for option, value in choice.options.items())
    return "\n".join(lines)


def _pacing_text(study: Study) -> str:
    pacing, lines = study.pacing, list[str]()
    if pacing.rate_per_s is not None:
        lines.append(f"rate_per_s = {pacing.rate_per_s}")
    if pacing.think is not None:
        lines.append(f"think = {quoted(duration_text(pacing.think.mean_ns))}")
        lines.append(f"think_distribution = {quoted(pacing.think.law)}")
    if pacing.stretches:
        lines.append(f"rates = [{', '.join(quoted(str(stretch)) for stretch in pacing.stretches)}]")
    if pacing.search is not None:
        search = pacing.search
        lines.append(f"slo = {quoted(search.slo)}\nfirst_rate = {search.first_per_s}")
        lines.append(f"precision = {search.precision}\nprobe_settle = {quoted(_seconds_text(search.settle_ns))}")
    if not pacing.is_closed:
        lines.append(f"arrivals = {quoted(pacing.arrivals)}")
    return "\n[pacing]\n" + "\n".join(lines) + "\n" if lines else ""


def _errors_text(study: Study) -> str:
    errors, lines = study.errors, list[str]()
    if errors.draws is not None:
        lines.append(f"draws = {quoted(errors.draws)}")
    if errors.retry_limit is not None:
        lines.append(f"retry_limit = {errors.retry_limit}")
    if errors.also:
        lines.append(f"also = [{', '.join(quoted(str(error)) for error in errors.also)}]")
    if errors.pause_ns:
        lines.append(f"pause = {quoted(duration_text(errors.pause_ns))}")
    if errors.prepared_full != "stop":
        lines.append(f"prepared_full = {quoted(errors.prepared_full)}")
    return "\n[errors]\n" + "\n".join(lines) + "\n" if lines else ""


def _pinning_text(study: Study) -> str:
    rows = [("server", study.pinning.server), ("client", study.pinning.client)]
    lines = [f"{side} = {quoted(','.join(map(str, cpus)))}" for side, cpus in rows if cpus is not None]
    return "\n[pinning]\n" + "\n".join(lines) + "\n" if lines else ""


def _audit_text(study: Study) -> str:
    return "" if study.audit_stop == "never" else f"\n[audit]\nstop_at = {quoted(study.audit_stop)}\n"


def _limits_text(study: Study) -> str:
    limits, lines = study.limits, list[str]()
    if limits.memory is not None:
        lines.append(f"memory = {quoted(str(limits.memory))}")
    if limits.connections is not None:
        lines.append(f"connections = {limits.connections}")
    return "\n".join(["\n[limits]", *lines, ""]) if lines else ""


def _timeouts_text(study: Study) -> str:
    timeouts, lines = study.timeouts, list[str]()
    if timeouts.path_ns != USUAL.path_ns:
        lines.append(f"path = {quoted(_seconds_text(timeouts.path_ns))}")
    if timeouts.answer_ns != USUAL.answer_ns:
        lines.append(f"answer = {quoted('none' if timeouts.answer_ns is None else _seconds_text(timeouts.answer_ns))}")
    if timeouts.check_ns is not None:
        lines.append(f"check = {quoted(_seconds_text(timeouts.check_ns))}")
    return "\n".join(["\n[timeouts]", *lines, ""]) if lines else ""


def _servers_text(study: Study) -> str:
    text = ""
    for server in study.servers.values():
        fields = {name: getattr(server, name) for name in SERVER}
        lines = [f"{name} = {_toml_value(value)}" for name, value in fields.items() if value is not None]
        text += f"\n[servers.{quoted(server.name)}]\n" + "\n".join(lines) + "\n"
    return text


def _imported_text(study: Study) -> str:
    if study.imported is None:
        return ""
    return f"\n[imported]\ntool = {quoted(study.imported.tool)}\norigin = {quoted(study.imported.origin)}"


def _toml_value(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(value) if isinstance(value, str) else repr(value)


def _seconds_text(duration_ns: int) -> str:
    return f"{duration_ns // 10**9}s"
