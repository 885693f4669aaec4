"""Studies of proofs: one thing is altered, and nothing else; what would alter nothing is refused."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analyse.explain import THREAD_PARTS, causes
from dbdyno.configure import check_settings, own_values
from dbdyno.core import Cell, RequestError
from dbdyno.engines import vocabulary
from dbdyno.plan import Alteration, ProofStudy, alterations, make_plan, pieces, proof_study
from dbdyno.study import BenchChoice, FleetChoice, HostChoice, Study, parse_study, study_text
from error_codes import raises_code

TIER = 256 << 20
STUDY = """
name = "example"
{policy}
[[target]]
name = "innodb"
engine = "mysql:9.7"
{target}
[[target]]
name = "myrocks"
engine = "mariadb:11.8+rocksdb"
[workload]
name = "sysbench/oltp_write_only"
tables = 4
rows = 1000
[axes]
tier = ["64MB", "256MB"]
concurrency = [1, 8]
route = "loopback"
[measure]
sentinel = "innodb"
repeats_max = 9
"""


def _study(target: str = "", policy: str = "") -> Study:
    return parse_study(STUDY.format(target=target, policy=policy), "example")


def _cell(target: str = "innodb") -> Cell:
    return Cell(target, TIER, 8, "sysbench/oltp_write_only", "loopback")


def _made(name: str, study: Study | None = None, target: str = "innodb") -> ProofStudy:
    return proof_study(study or _study(), _cell(target), alterations()[name], base=own_values(TIER))


def _settings(study: Study) -> list[Mapping[str, object]]:
    return [study.settings_of(target) for target in study.targets]


BEFORE = {
    "durability-relaxed": "",
    "binary-log-off": 'settings = {"binlog.enabled" = "ON"}',
    "group-commit-delay-off": 'settings = {"binlog.enabled" = "ON", "binlog.group_commit_delay" = 1000}',
    "general-log-off": 'settings = {"log.general" = "ON"}',
    "slow-log-off": 'settings = {"log.slow" = "ON"}',
    "purge-delay-off": 'settings = {"purge.max_lag" = 1000}',
    "concurrency-limit": 'settings = {"sync.thread_concurrency" = 4}',
    "index-restored": "workload = {create_secondary = false}",
    "performance-schema-off": 'settings = {"server.performance_schema" = "ON"}',
    "tls-off": 'settings = {tls = {available = "ON"}}',
}


@pytest.mark.parametrize("name", alterations())
def test_each_alteration_makes_a_study_of_two_cells_that_can_be_run(name: str) -> None:
    row = alterations()[name]
    target = "myrocks" if row.storage_engines and "innodb" not in row.storage_engines else "innodb"
    made = _made(name, _study(BEFORE.get(name, "")), target)
    plan = make_plan(made.study)
    assert {run.cell for run in plan.runs} == {made.control, made.altered}
    assert len(plan.runs) == 8 and made.control.target == target
    assert parse_study(study_text(made.study), "again") == made.study
    check_settings(made.study)
    differing = sum(a != b for a, b in zip(_settings(made.study)[:1], _settings(made.study)[1:], strict=False))
    assert (differing == 1) == bool(row.setting)


@pytest.mark.parametrize("name", alterations())
def test_each_alteration_names_what_there_is(name: str) -> None:
    row = alterations()[name]
    assert set(row.removes) <= set(THREAD_PARTS)
    assert not row.setting or row.setting in vocabulary()
    assert sum((bool(row.setting), bool(row.workload), row.tier != 1, bool(row.slows_ns))) == 1


def test_a_multiple_is_of_what_was_in_effect() -> None:
    made = _made("redo-capacity", _study('settings = {"redo.capacity" = "8MB"}'))
    assert _settings(made.study)[1]["redo.capacity"] == 64 << 20
    made = _made("redo-capacity")
    assert _settings(made.study)[1]["redo.capacity"] == 8 * int(own_values(TIER)["redo.capacity"])


def test_a_servers_own_option_gives_way_to_the_altered_setting() -> None:
    made = _made(
        "durability-relaxed", _study("options = {innodb_flush_log_at_trx_commit = 1, innodb_sync_array_size = 2}")
    )
    assert made.study.targets[1].options == {"innodb_sync_array_size": "2"}
    assert (
        made.study.targets[0].options
        == _study("options = {innodb_flush_log_at_trx_commit = 1, innodb_sync_array_size = 2}").targets[0].options
    )


def test_servers_stay_set_up_for_the_connections_of_the_whole_study() -> None:
    text = STUDY.format(target=BEFORE["performance-schema-off"], policy="").replace("[1, 8]", "[8, 512]")
    made = _made("performance-schema-off", parse_study(text, "example"))
    assert (made.study.concurrencies, made.study.connections_max) == ((8,), 512)


ELSEWHERE = """
[settings]
flush.page_cleaners = 4
memory.write_buffers = "32MB"
[hosts.db1]
address = "10.1.0.2"
[hosts.c1]
[bench.a]
server = "db1"
client = "c1"
[routes.wan]
rtt = "10ms"
"""


@pytest.mark.parametrize(("name", "target"), [("durability-relaxed", "innodb"), ("write-buffers", "myrocks")])
def test_a_cell_is_proved_without_what_only_other_cells_use(name: str, target: str) -> None:
    text = STUDY.format(target="", policy="").replace('"loopback"', '["loopback", "wan"]')
    made = _made(name, parse_study(text + ELSEWHERE, "example"), target)
    assert parse_study(study_text(made.study), "again").targets == made.study.targets
    assert (made.study.routes, made.study.shaped_routes) == (("loopback",), ())


@pytest.mark.parametrize("name", ["buffer-pool", "index-restored", "durability-relaxed"])
def test_both_cells_of_a_proof_are_made_on_one_bench(name: str) -> None:
    """Benches are dealt memory sizes, workloads and rounds: each of the first two would get one of the cells."""
    benches = tuple(BenchChoice(host, HostChoice(host, f"bench@{host}")) for host in ("db1", "db2"))
    study = replace(_study(BEFORE.get(name, "")), benches=benches)
    made = _made(name, study)
    for piece in pieces(made.study, make_plan(made.study).runs, len(made.study.benches)):
        assert {run.cell for run in piece} == {made.control, made.altered}
    assert made.study.benches == (benches if name == "durability-relaxed" else benches[:1])
    on_ray = replace(study, fleet=FleetChoice("ray"))
    if name == "durability-relaxed":
        assert _made(name, on_ray).study.fleet == on_ray.fleet
    else:
        with raises_code(RequestError, "on-ray"):
            _made(name, on_ray)


def test_without_a_delay_of_commits_the_number_that_ends_it_goes_too() -> None:
    """A study with the number above 0 and no delay is refused."""
    own = 'settings = {"binlog.enabled" = "ON", "binlog.group_commit_delay" = 1000, "binlog.group_commit_count" = 8}'
    made = _made("group-commit-delay-off", _study(own))
    check_settings(made.study)
    altered = _settings(made.study)[1]
    assert (altered["binlog.group_commit_delay"], altered["binlog.group_commit_count"]) == (0, 0)


@pytest.mark.parametrize("option", ["general_log", "general-log"])
def test_a_log_that_an_option_of_the_server_switches_on_is_switched_off(option: str) -> None:
    made = _made("general-log-off", _study(f"options = {{{option} = 'ON', long_query_time = '0'}}"))
    assert list(made.study.targets[1].options) == ["long_query_time"]
    assert made.words == "log.general ON to OFF"


def test_a_value_that_cannot_be_read_is_not_taken_for_the_default() -> None:
    assert "its own value to OFF" in _made("general-log-off", _study("options = {general_log = 1}")).words


def test_memory_is_altered_by_the_tier() -> None:
    made = _made("buffer-pool")
    assert made.altered == replace(made.control, tier_bytes=8 * TIER)
    assert len(made.study.targets) == 1


@pytest.mark.parametrize(
    ("name", "target", "text", "policy"),
    [
        ("durability-relaxed", "innodb", 'settings = {"commit.durability" = "relaxed"}', ""),
        ("binary-log-off", "innodb", "", ""),
        ("general-log-off", "innodb", "", ""),
        ("purge-delay-off", "innodb", "", 'policy = "vendor"'),
        ("redo-capacity", "myrocks", "", ""),
        ("write-buffers", "innodb", "", ""),
        ("redo-capacity", "innodb", "", 'policy = "vendor"'),
        ("index-restored", "innodb", "workload = {create_secondary = true}", ""),
        ("uniform-keys", "innodb", 'workload = {rand_type = "uniform"}', ""),
    ],
)
def test_what_alters_nothing_or_is_not_known_is_refused(name: str, target: str, text: str, policy: str) -> None:
    with pytest.raises(RequestError):
        _made(name, _study(text, policy), target)


@pytest.mark.parametrize(
    ("rounds", "window_ns"),
    [(0, None), (-3, None), (51, None), (4, 0), (4, 10**6), (4, 10**9), (4, 25 * 10**8), (4, -(10**10))],
)
def test_runs_and_windows_that_no_study_file_may_have_are_refused(rounds: int, window_ns: int | None) -> None:
    row, base = alterations()["redo-capacity"], own_values(TIER)
    with pytest.raises(RequestError):
        proof_study(_study(), _cell(), row, base=base, rounds=rounds, window_ns=window_ns)
    made = proof_study(_study(), _cell(), row, base=base, rounds=50, window_ns=2 * 10**9)
    assert (made.study.repeats, made.study.window_ns) == (50, 2 * 10**9)


@pytest.mark.parametrize(
    ("lengths", "gates"),
    [('warm_up = "auto"\ngates = "off"', False), ('warm_up = "auto"', True), ('window = "auto"\ngates = "off"', True)],
)
def test_a_window_of_its_own_leaves_the_warm_up_as_the_study_has_it(lengths: str, gates: bool) -> None:
    study = parse_study(STUDY.format(target="", policy="") + lengths, "example")
    row, base = alterations()["redo-capacity"], own_values(TIER)
    made = proof_study(study, _cell(), row, base=base, window_ns=20 * 10**9)
    assert made.study.adaptive_length.warm_up == study.adaptive_length.warm_up
    assert made.study.adaptive_length.gates == gates


def test_a_server_that_was_not_started_here_is_not_altered() -> None:
    text = STUDY.replace('"mysql:9.7"', '"mysql:9.7@server:theirs"').format(target="", policy="")
    study = parse_study(
        text.replace('sentinel = "innodb"', "") + '[servers.theirs]\nuser = "u"\nsocket = "/s"\n', "example"
    )
    with raises_code(RequestError, "not-ours", "'innodb'"):
        _made("redo-capacity", study)


PAGE = Path(__file__).parents[3] / "docs" / "reference" / "alterations.md"


def _page() -> str:
    head = (
        "# Alterations\n\n"
        "What `dbdyno explain --prove` can alter, and which parts of [the time](parts.md) go away then. Written from\n"
        "`plan/data/alterations.toml`; [the causes](causes.md) name the rows that remove them.\n\n"
        "| id | with | alters | takes away | storage engines |\n|---|---|---|---|---|\n"
    )
    return head + "".join(_row(name, row) for name, row in alterations().items())


def _row(name: str, row: Alteration) -> str:
    what = row.setting or row.workload or ("memory budget" if row.tier != 1 else "")
    change = f"× {max(row.times, row.tier):,}" if max(row.times, row.tier) > 1 else f"= {str(row.value).lower()}"
    alters = f"`{what}` {change}" if what else "time of the calls"
    parts = ", ".join(f"`{part}`" for part in row.removes) or "what its causes claim"
    grows = "grows: " if row.slows_ns else ""
    return f"| `{name}` | {row.words} | {alters} | {grows}{parts} | {', '.join(row.storage_engines) or 'all'} |\n"


def test_the_reference_lists_them() -> None:
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        PAGE.write_text(_page())
    assert PAGE.read_text() == _page()


def test_causes_name_alterations_that_there_are() -> None:
    assert {cause.alteration for cause in causes()} - {""} <= set(alterations())


def test_an_alteration_without_parts_has_a_cause_whose_claim_is_predicted() -> None:
    """Without one nothing can be predicted, so the proof stays undecided however much comes back."""
    named = {cause.alteration for cause in causes()}
    assert [name for name, row in alterations().items() if not row.removes and name not in named] == []
