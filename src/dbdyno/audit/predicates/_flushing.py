"""Tests background writing: budgets, neighbours, limits, asynchronous I/O."""

from __future__ import annotations

from dbdyno.audit._effective import effective
from dbdyno.audit._reading import number, weakest
from dbdyno.audit._target import LSM_ENGINES, AuditTarget
from dbdyno.audit._verdict import Question, RuleVerdict, decide, grouped, labelled

_INTERFACES = {"IO_URING": "io_uring", "AIO": "libaio", "LIBAIO": "libaio"}


def capacity_of_the_device(question: Question) -> RuleVerdict:
    """Check that the I/O budget is one the device can serve."""
    words: list[tuple[str, str]] = []
    lacks: dict[str, str] = {}
    for target in question.targets:
        rate = target.fact("host", "device_random_write_iops")
        base, maximum = effective(target, "io.capacity"), effective(target, "io.capacity_max")
        if rate is None or base.state == "missing":
            lacks[target.name] = base.lacks or "calibration of the data device (host:device_random_write_iops)"
        elif number(maximum) > question.rule.threshold["above"] * rate:
            words.append((target.name, f"io_capacity_max {maximum.value} above {rate} of the device"))
        elif number(base) < question.rule.threshold["below"] * rate:
            words.append((target.name, f"io_capacity {base.value} below a tenth of {rate} of the device"))
    return decide(labelled(words), lacks)


def neighbours_on_flash(question: Question) -> RuleVerdict:
    """Check that neighbours are flushed on rotational devices at most, and there alike."""
    readings = {target.name: effective(target, "flush.neighbors") for target in question.targets}
    lacks = {name: reading.lacks for name, reading in readings.items() if reading.state == "missing"}
    groups = grouped(readings.items())
    on_flash = any(
        readings[t.name].state == "known" and readings[t.name].value != 0 and t.fact("host", "rotational") is not True
        for t in question.targets
    )
    certainty = weakest(*(reading.certainty for reading in readings.values() if reading.state == "known"))
    return decide(groups if on_flash or len(groups) > 1 else {}, lacks, certainty)


def crippled_dirty_limit(question: Question) -> RuleVerdict:
    """Check that no page engine is kept from holding dirty pages."""
    beside_lsm = any(target.storage_engine in LSM_ENGINES for target in question.everyone)
    limits = question.rule.threshold
    words: list[tuple[str, str]] = []
    lacks: dict[str, str] = {}
    certainties = []
    for target in question.targets:
        maximum, mark = effective(target, "flush.dirty_max"), effective(target, "flush.dirty_lwm")
        if maximum.state == "missing":
            lacks[target.name] = maximum.lacks
            continue
        low_mark = beside_lsm and 0.001 < number(mark) < limits["lwm_below"]
        if number(maximum) < limits["max_below"] or low_mark:
            words.append((target.name, f"max {maximum.value}, lwm {mark.value if mark.state == 'known' else 'none'}"))
            certainties.append(maximum.certainty)
    return decide(labelled(words), lacks, weakest(*certainties), None if beside_lsm else "high")


def native_aio(question: Question) -> RuleVerdict:
    """Check that asynchronous I/O is in effect, and by one interface where interfaces are named."""
    words: list[tuple[str, str]] = []
    lacks: dict[str, str] = {}
    for target in question.targets:
        reading = effective(target, "io.native_aio")
        requested = target.asked("innodb_use_native_aio")
        if reading.state == "missing" or reading.certainty == "asked":
            lacks[target.name] = reading.lacks or "variable innodb_use_native_aio"
        elif reading.value == "OFF" and requested is None and target.facts.option_file is None:
            lacks[target.name] = "option file: OFF may have been asked for"
        elif reading.value == "OFF" and (requested or "ON").upper() in ("ON", "1", "TRUE", "YES"):
            words.append((target.name, f"asked {requested or 'by default'}, effective OFF"))
    interfaces = labelled((t.name, interface) for t in question.targets if (interface := _aio_interface(t)))
    ignored_requests = labelled(words)
    return decide(ignored_requests | interfaces if len(interfaces) > 1 else ignored_requests, lacks)


def _aio_interface(target: AuditTarget) -> str:
    """Return the interface of asynchronous I/O; empty if unknown."""
    reported_interface = target.fact("host", "aio_interface")
    if reported_interface:
        return _INTERFACES.get(str(reported_interface).upper(), str(reported_interface))
    if target.family in ("mysql", "percona"):
        return "libaio"
    return _INTERFACES.get(str(effective(target, "io.linux_aio").value), "")
