"""Published studies, audited from their own files and held against what is known of them."""

from __future__ import annotations

import functools
import itertools
import json
import re
import tarfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.audit import Audit, ComparisonSet, TargetFacts, audit, rules
from dbdyno.audit.dumps import read_dumps
from dbdyno.core import format_bytes

SHARED = Path(__file__).parents[5] / "shared"
ARCHIVES = SHARED / "data" / "archives"
IN_UNITS = {"redo-files-in-group-noop", "redo-capacity-displayed-not-effective"}
EXPECTED = SHARED / "data" / "audit" / "percona-2026-rw-local.json"
needs_shared = pytest.mark.skipif(not EXPECTED.exists(), reason="the shared archives are not beside this checkout")


def unpacked(name: str, folder: Path) -> Path:
    with tarfile.open(ARCHIVES / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def percona(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    folder = unpacked("percona-2026-rw-local", tmp_path_factory.mktemp("percona"))
    begun = time.monotonic()
    result = audit(read_dumps(folder).sets)
    assert time.monotonic() - begun < 10  # well under a second on a quiet machine
    return result


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: plain(v) if isinstance(v, Mapping) else sorted(v) for key, v in values.items()}


def in_units(values: Mapping[str, Any]) -> dict[str, Any]:
    """Worked out by hand in bytes; the audit says capacities in people's units."""
    return {re.sub(r"\d{7,}", lambda found: format_bytes(int(found[0])), key): value for key, value in values.items()}


def told(entries: list[tuple[list[str], str, str, dict[str, Any]]]) -> list[str]:
    return sorted(json.dumps(entry, sort_keys=True) for entry in entries)


@needs_shared
@pytest.mark.parametrize("rule_id", [rule.rule_id for rule in rules()])
def test_a_rule_says_of_the_2026_study_what_was_worked_out_by_hand(percona: Audit, rule_id: str) -> None:
    expected = json.loads(EXPECTED.read_text())
    ours = [
        (list(f.tiers), f.severity, f.certainty, plain(f.values)) for f in percona.findings if f.rule.rule_id == rule_id
    ]
    of_rule = in_units if rule_id in IN_UNITS else dict
    theirs = [
        (entry["tiers"], entry["severity"], entry["certainty"], of_rule(plain(entry["values"])))
        for entry in expected["findings"].get(rule_id, [])
    ]
    assert told(ours) == told(theirs)
    outcome = next((d.outcome for d in percona.decisions if d.rule.rule_id == rule_id), "finding")
    wanted = "undecided" if rule_id in expected["undecided"] else "clear" if rule_id in expected["clear"] else "finding"
    assert outcome == wanted


@needs_shared
def test_the_2026_study_has_42_rules_with_findings_32_clear_and_25_undecided(percona: Audit) -> None:
    assert len({f.rule.rule_id for f in percona.findings}) == 42
    assert (len(percona.with_outcome("clear")), len(percona.with_outcome("undecided"))) == (32, 25)


# What the three option files of the 2020 study ask for, read by hand: MariaDB 10.5.4 beside MySQL 8.0.21 and Percona
# Server 8.0.20. Redo is 20 GiB on all (one file of 20 GiB; two of 10), the performance schema and the binary log are
# off, doublewrite, flush method, table cache and session buffers are equal.
CHECKPOINT = {
    "background-io-threads-mismatch": {"io.read_threads": {"16": ["mariadb"], "4": ["my8", "ps8"]}},
    "flush-threads-mismatch": {"derived:flush_threads": {"1": ["mariadb"], "8": ["my8", "ps8"]}},
    "pool-instances-mismatch": {"derived:pool_instances": {"1": ["mariadb"], "8": ["my8", "ps8"]}},
    "buffer-pool-mismatch": {"memory.buffer_pool": {str(25 << 30): ["my8", "ps8"], str(140 << 30): ["mariadb"]}},
    "io-capacity-mismatch": {
        "io.capacity": {"2000": ["my8", "ps8"], "15000": ["mariadb"]},
        "io.capacity_max": {"4000": ["my8", "ps8"], "22500": ["mariadb"]},
    },
    "dirty-limit-mismatch": {
        "flush.dirty_max": {"75": ["mariadb"], "90": ["my8", "ps8"]},
        "derived:dirty_lwm": {"75": ["mariadb"], "10": ["my8", "ps8"]},
    },
    "adaptive-hash-mismatch": {"index.adaptive_hash": {"OFF": ["mariadb"], "ON": ["my8", "ps8"]}},
}
# Redo sizes, cleaners and scan depths that look different and are not, or do not reach the threshold.
CHECKPOINT_CLEAR = {
    "redo-capacity-mismatch", "redo-files-in-group-noop", "redo-default-left", "log-buffer-mismatch",
    "commit-policy-mismatch", "binlog-enabled-mismatch", "doublewrite-mismatch", "lru-scan-depth-per-instance",
    "flush-neighbors-on-flash", "change-buffering-mismatch", "performance-schema-mismatch", "query-cache-on",
    "session-memory-mismatch", "isolation-mismatch", "page-cache-as-hidden-cache", "purge-mismatch",
}  # fmt: skip
# Facts that option files do not hold: launchers, ciphers, what was in effect.
CHECKPOINT_UNDECIDED = {
    "numa-policy-mismatch", "tls-effective-mismatch", "asked-not-effective", "table-cache-meaning", "host-mismatch",
}  # fmt: skip


@needs_shared
def test_option_files_of_the_2020_study_tell_what_was_asked_and_no_more(tmp_path: Path) -> None:
    result = audit(read_dumps(unpacked("checkpoint-2020", tmp_path)).sets)
    found = {f.rule.rule_id: f for f in result.findings}
    for rule_id, values in CHECKPOINT.items():
        assert plain(found[rule_id].values) == values, rule_id
        assert found[rule_id].certainty == "asked"
    outcomes = {d.rule.rule_id: d.outcome for d in result.decisions}
    assert {rule_id: outcomes.get(rule_id) for rule_id in CHECKPOINT_CLEAR} == dict.fromkeys(CHECKPOINT_CLEAR, "clear")
    assert {outcomes.get(rule_id) for rule_id in CHECKPOINT_UNDECIDED} == {"undecided"}
    assert {outcomes.get(r) for r in ("binlog-sync-mismatch", "gtid-mismatch")} == {"not applicable"}


# ------------------------------------------------------------------------------------------------- live servers
@functools.cache
def live() -> dict[str, TargetFacts]:
    if not EXPECTED.exists():
        return {}
    return {t.name: t for t in read_dumps(SHARED / "engines" / "live").sets[0].targets}


# An independent reading: the variable on both sides, as text, for rules about one variable that both servers show.
ONE_VARIABLE = {
    "name-resolution": "skip_name_resolve",
    "log-buffer-mismatch": "innodb_log_buffer_size",
    "binlog-enabled-mismatch": "log_bin",
    "adaptive-hash-mismatch": "innodb_adaptive_hash_index",
    "autoinc-mode-mismatch": "innodb_autoinc_lock_mode",
    "purge-mismatch": "innodb_purge_threads",
    "session-memory-mismatch": "sort_buffer_size",
    "lock-timeout-mismatch": "innodb_lock_wait_timeout",
    "charset-mismatch": "character_set_server",
    "table-collation-mismatch": "collation_server",
}


@needs_shared
@pytest.mark.parametrize("pair", list(itertools.combinations(sorted(live()), 2)), ids="+".join)
def test_no_finding_between_two_servers_is_false(pair: tuple[str, str]) -> None:
    servers = live()
    one, other = (servers[name] for name in pair)
    result = audit([ComparisonSet((one, other))])
    found = {f.rule.rule_id: f for f in result.findings}
    outcomes = {d.rule.rule_id: d.outcome for d in result.decisions}
    assert len(found) + len(outcomes) == len(rules())
    for rule_id, name in ONE_VARIABLE.items():
        texts = [(server.variables or {}).get(name) for server in (one, other)]
        if None not in texts and texts[0] != texts[1]:
            assert rule_id in found, (rule_id, texts)
        elif None not in texts and rule_id in found:
            listed = found[rule_id].values
            assert name not in listed and len(listed) > 0
    for finding in result.findings:
        if finding.rule.scope == "across" and finding.rule.test in ("all_equal", "ratio_within"):
            for groups in finding.values.values():
                assert len(groups) > 1 and {t for names in groups.values() for t in names} == set(pair)


@needs_shared
@pytest.mark.parametrize("name", sorted(live()))
def test_two_identical_servers_differ_in_nothing(name: str) -> None:
    server = live()[name]
    result = audit([ComparisonSet((server, replace(server, name=f"{name} again")))])
    assert not [f.rule.rule_id for f in result.findings if f.rule.scope == "across"]
    alone = {"flush-neighbors-on-flash", "evidence-captured-too-early", "query-cache-on", "snapshot-isolation-defects"}
    assert {f.rule.rule_id for f in result.findings} <= alone  # rules that judge each target alone
