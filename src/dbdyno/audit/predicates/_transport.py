"""Tests how the load reaches the server: encryption, ciphers, plug-ins."""

from __future__ import annotations

import re

from dbdyno.audit._effective import effective
from dbdyno.audit._reading import SourcedValue, known, missing, weakest
from dbdyno.audit._target import AuditTarget
from dbdyno.audit._verdict import Question, RuleVerdict, decide, grouped, labelled, not_applicable, undecided
from dbdyno.audit.predicates._generic import fact_missing, session_reading, spoken_differences
from dbdyno.audit.quantities._transport import encryption

_UNTRUSTED_DRIVERS = re.compile(r"sysbench[-_ /v]*1\.0|hammerdb", re.IGNORECASE)
_NO_TLS = ("", "DISABLED", "OFF", "NO")


def tls_classes(question: Question) -> RuleVerdict:
    """Check that all targets are encrypted, or all are plain."""
    readings = {target.name: encryption(target, question.rule.threshold) for target in question.targets}
    lacks = {name: reading.lacks for name, reading in readings.items() if reading.state == "missing"}
    groups = grouped(readings.items())
    certainty = weakest(*(reading.certainty for reading in readings.values() if reading.state == "known"))
    return decide(groups if len(groups) > 1 or "mixed" in groups else {}, lacks, certainty)


def ciphers(question: Question) -> RuleVerdict:
    """Check that encrypted targets use one TLS version and cipher."""
    classes = {target.name: encryption(target) for target in question.targets}
    encrypted = [target for target in question.targets if classes[target.name].value == "encrypted"]
    unknown = {name: reading.lacks for name, reading in classes.items() if reading.state == "missing"}
    if len(encrypted) < 2:
        return undecided(unknown) if unknown else not_applicable("fewer than two encrypted targets")
    verdict = spoken_differences({target.name: _cipher(target) for target in encrypted})
    return undecided(unknown) if verdict.outcome == "clear" and unknown else verdict


def _cipher(target: AuditTarget) -> SourcedValue:
    facts = target.fact("session", "ssl_version"), target.fact("session", "ssl_cipher")
    if facts[1]:
        words = facts[1] if isinstance(facts[1], list) else [facts[1]]
        return known(f"{facts[0] or ''} {' and '.join(sorted(set(map(str, words))))}".strip())
    version, cipher = target.status("ssl_version"), target.status("ssl_cipher")
    if not cipher:
        return missing("version and cipher of the load's sessions")
    return known(f"{version or ''} {cipher}".strip(), "inferred")


def untrusted_tls_flag(question: Question) -> RuleVerdict:
    """Check that no driver of the study has a TLS switch that its client library overrules."""
    if undecided_verdict := fact_missing(question, "driver"):
        return undecided_verdict
    driver = str(question.study["driver"])
    asks_for_tls = str(question.study.get("driver_tls_option") or "").upper() not in _NO_TLS
    disabled = str(question.study.get("driver_ssl_mode") or "").upper() == "DISABLED"
    if not _UNTRUSTED_DRIVERS.search(driver) or disabled or asks_for_tls:
        return decide({}, {})
    offers = {target.name: effective(target, "tls.available") for target in question.targets}
    offering = sorted(t.name for t in question.targets if _offers_tls(t, offers[t.name]))
    lacks = {name: reading.lacks for name, reading in offers.items() if reading.state == "missing"}
    encrypted = [t.name for t in question.targets if encryption(t).value == "encrypted"]
    return decide(labelled((name, driver) for name in encrypted or offering) if offering else {}, lacks)


def _offers_tls(target: AuditTarget, reading: SourcedValue) -> bool:
    """Return whether a server offers TLS: with an empty list of versions it does not, though it has a certificate."""
    versions = effective(target, "tls.versions")
    if versions.state == "known" and versions.value == "":
        return False
    return reading.state == "known" and str(reading.value) not in ("OFF", "DISABLED", "")


def reconnect_plugins(question: Question) -> RuleVerdict:
    """Check that workloads that reconnect log in by one plug-in everywhere."""
    if undecided_verdict := fact_missing(question, "reconnects"):
        return undecided_verdict
    if not question.study["reconnects"]:
        return not_applicable("the workload opens no connections in the window")
    name, stand_in = question.rule.inputs[0], question.rule.stand_in
    return spoken_differences({target.name: session_reading(target, name, stand_in) for target in question.targets})
