"""How the load reaches the server."""

from __future__ import annotations

from typing import Any

import pytest

from audit_cases import (
    LOADED,
    MARIADB_10_11,
    MARIADB_11_8,
    MYSQL_8_4,
    facts,
    outcome,
    verdict,
    with_facts,
)
from dbdyno.audit import TargetFacts


def summary(name: str, accepts: str | None, version: str = MYSQL_8_4) -> TargetFacts:
    counters = {"connections": "17500"} | ({"ssl_accepts": accepts} if accepts else {})
    return facts(name, version, more={"summary": counters, "status": {"ssl_cipher": "TLS_X", "ssl_version": "TLSv1.3"}})


def test_rounded_counters_that_nearly_agree_mean_encrypted_and_a_missing_row_plain() -> None:
    result = verdict("tls-effective-mismatch", summary("a", "15000"), summary("b", None), summary("c", "17500"))
    assert result.values == {"encrypted": ("a", "c"), "plain": ("b",)}
    assert result.certainty == "inferred"


def test_ciphers_of_the_sessions_come_before_counters() -> None:
    told = with_facts("a", session={"ssl_cipher": ["X", "X"]}, status=LOADED)
    plain = with_facts("b", session={"ssl_cipher": ["", ""]}, status=LOADED)
    assert verdict("tls-effective-mismatch", told, plain).certainty == "read"
    mixed = with_facts("b", session={"ssl_cipher": ["", "X"]})
    assert verdict("tls-effective-mismatch", mixed, told).values == {"encrypted": ("a",), "mixed": ("b",)}
    of_no_session = with_facts("c", session={"ssl_cipher": []})
    assert verdict("tls-effective-mismatch", told, of_no_session).lacks.keys() == {"c"}
    assert outcome("tls-effective-mismatch", told, of_no_session) == "undecided"


def test_that_a_server_offers_tls_decides_nothing() -> None:
    pair = facts("a", MARIADB_11_8, have_ssl="YES"), facts("b", MARIADB_10_11, have_ssl="DISABLED")
    assert outcome("tls-effective-mismatch", *pair) == "undecided"


def test_ciphers_are_compared_among_encrypted_targets_only() -> None:
    other = facts("c", more={"summary": {"connections": "9", "ssl_accepts": "9"}, "status": {"ssl_cipher": "Y"}})
    encrypted, plain = summary("a", "17500"), summary("b", None)
    assert outcome("tls-cipher-or-version-mismatch", encrypted, plain) == "not applicable"
    result = verdict("tls-cipher-or-version-mismatch", encrypted, other)
    assert result.values == {"TLSv1.3 TLS_X": ("a",), "Y": ("c",)}


@pytest.mark.parametrize(
    ("study", "wanted"),
    [
        ({}, "undecided"),
        ({"driver": "sysbench 1.0.20", "driver_tls_option": "off"}, "finding"),
        ({"driver": "sysbench 1.0.20", "driver_ssl_mode": "DISABLED"}, "clear"),
        ({"driver": "dbdyno-load"}, "clear"),
    ],
)
def test_a_drivers_tls_switch_is_not_trusted(study: dict[str, Any], wanted: str) -> None:
    pair = facts("a", MARIADB_11_8, have_ssl="YES"), facts("b", MARIADB_10_11, have_ssl="DISABLED")
    assert outcome("tls-client-flag-untrusted", *pair, study=study) == wanted


def test_a_server_without_tls_versions_offers_none_though_it_has_a_certificate() -> None:
    study = {"driver": "sysbench 1.0.20", "driver_tls_option": "off"}

    def with_versions(name: str, versions: str) -> TargetFacts:
        return facts(name, MYSQL_8_4, ssl_cert="server-cert.pem", tls_version=versions)

    offering, silent = with_versions("a", "TLSv1.2,TLSv1.3"), with_versions("b", "")
    assert verdict("tls-client-flag-untrusted", offering, silent, study=study).values == {"sysbench 1.0.20": ("a",)}
    assert outcome("tls-client-flag-untrusted", silent, silent, study=study) == "clear"


def test_plug_ins_matter_where_the_workload_reconnects() -> None:
    pair = (
        with_facts("a", session={"auth_plugin": "caching_sha2_password"}),
        with_facts("b", session={"auth_plugin": "mysql_native_password"}),
    )
    assert outcome("auth-plugin-connect-cost", *pair) == "undecided"
    assert outcome("auth-plugin-connect-cost", *pair, study={"reconnects": False}) == "not applicable"
    assert outcome("auth-plugin-connect-cost", *pair, study={"reconnects": True}) == "finding"


def test_routes_are_three_classes() -> None:
    pair = with_facts("a", session={"transport": "socket"}), with_facts("b", session={"transport": "loopback"})
    assert verdict("socket-vs-tcp", *pair).values == {"LOOPBACK": ("b",), "SOCKET": ("a",)}
