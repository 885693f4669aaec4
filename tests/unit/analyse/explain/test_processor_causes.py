"""Causes of processor time and of waits for it: whose work brought it, and how much of it is whose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cause_examples import EXAMPLES, NEIGHBOURS, SMALL_POOL, Example, first
from dbdyno.analyse.explain import LEAST_SHARE, causes


def test_processor_time_that_a_cause_s_work_brings_is_its_own_as_far_as_that_work_can_take() -> None:
    found = SMALL_POOL.ranked()
    assert first(found) == "buffer-pool-small"
    claims = found.causes[0].claims
    parts = {part.part_id: part.difference.ms for part in found.gap.parts}
    assert claims["thread.on_cpu"] == pytest.approx(parts["thread.on_cpu"])
    assert claims["thread.run_queue"] > 0.25 * parts["thread.run_queue"]
    little = replace(SMALL_POOL, facts={"engine.pages.read": (0.5, 5.5)}).ranked()
    by_id = {one.cause.cause_id: one for one in little.causes}
    assert by_id["buffer-pool-small"].claims["thread.on_cpu"] == pytest.approx(5 * 0.1)
    dearer = by_id["dearer-rows"].claims["thread.on_cpu"]
    assert dearer == pytest.approx(parts["thread.on_cpu"] - 0.5)


def test_reads_that_only_take_processor_time_are_still_those_of_a_small_buffer_pool() -> None:
    """The file system's cache has the pages, so no session waits for a device; all wait for processors."""
    crowded = {"processors.sessions": (1.0, 1.6)}
    cached = replace(SMALL_POOL, right={"thread.on_cpu": 2.2, "thread.run_queue": 3.9}, work={})
    found = replace(cached, facts={**SMALL_POOL.facts, **crowded}).ranked()
    parts = {part.part_id: part.difference.ms for part in found.gap.parts}
    assert first(found) == "buffer-pool-small"
    assert found.causes[0].claims == {
        "thread.on_cpu": pytest.approx(parts["thread.on_cpu"]),
        "thread.run_queue": pytest.approx(parts["thread.run_queue"]),
    }
    fewer = replace(cached, facts={"engine.pages.read": (30.0, 0.5)} | crowded).ranked()
    assert first(fewer) == "dearer-rows"


@pytest.mark.parametrize("cause_id", [cause.cause_id for cause in causes() if cause.claims_of_one_build])
def test_a_setting_that_costs_processor_time_is_not_told_from_what_another_server_costs(cause_id: str) -> None:
    """MySQL with performance_schema takes longer per row than MariaDB without it, for more reasons than that one."""
    example = EXAMPLES[cause_id]
    assert first(example.ranked()) == cause_id
    assert first(replace(example, has_one_build=False).ranked()) not in (cause_id, "")


def test_sessions_that_wait_for_processors_since_another_wait_is_gone_are_a_crowd_and_no_dearer_rows() -> None:
    facts = {"processors.sessions": (0.5, 1.6)}
    found = Example({"thread.on_cpu": 1.1, "thread.run_queue": 3.9, "thread.latch": 0.05}, facts=facts).ranked()
    assert first(found) == "too-many-connections"
    by_id = {one.cause.cause_id: one for one in found.causes}
    assert by_id["dearer-rows"].claims["thread.run_queue"] < 0.2 * by_id["too-many-connections"].difference.ms


def test_replies_that_queue_while_the_client_waits_are_not_work_of_the_client() -> None:
    """The connections wait ten times as long, where the client's own wait for a processor is three times as long."""
    facts = {**NEIGHBOURS.facts, "client.stretch": (1.1, 3.3), "client.work": (0.2, 0.22)}
    found = replace(NEIGHBOURS, right={"thread.client": 4.0}, facts=facts).ranked()
    claims = {one.cause.cause_id: one.claims["thread.client"] for one in found.causes if "thread.client" in one.claims}
    parts = {part.part_id: part.difference.ms for part in found.gap.parts}
    assert first(found) == "neighbours"
    assert claims["neighbours"] > 0.9 * parts["thread.client"]
    assert set(claims) == {"neighbours", "client-work"}
    dearer = replace(NEIGHBOURS, right={"thread.client": 4.0}, facts=facts | {"client.work": (0.2, 2.0)})
    assert first(dearer.ranked()) == "client-work"


def test_what_attempts_that_were_thrown_away_cost_is_neither_dearer_rows_nor_work_of_the_client() -> None:
    """Four attempts for each commit: four times the statements, with all that a statement takes."""
    right = {"thread.on_cpu": 4.0, "thread.run_queue": 1.2, "thread.client": 2.0, "thread.row_lock": 1.1}
    example = Example(right, work={"thread.on_cpu": 80.0}, facts={"attempts": (1.0, 4.0), "client.work": (0.1, 0.4)})
    found = example.ranked()
    parts = {part.part_id: part.difference.ms for part in found.gap.parts}
    claims = {one.cause.cause_id: one.claims for one in found.causes}
    assert [one.cause.cause_id for one in found.decided] == ["thrown-away-attempts", "row-locks"]
    for part_id in ("thread.on_cpu", "thread.run_queue", "thread.client"):
        assert claims["thrown-away-attempts"][part_id] == pytest.approx(parts[part_id], rel=0.05)
    stricter = {"trx.isolation": ("REPEATABLE-READ", "SERIALIZABLE")}
    (isolation,) = replace(example, settings=stricter).ranked().decided
    assert isolation.cause.cause_id == "isolation"
    as_often = replace(example, facts={"attempts": (4.0, 4.0)}).ranked()
    assert first(as_often) == "more-rows"


def test_processor_time_of_a_few_more_and_slightly_dearer_rows_has_a_cause_as_a_whole() -> None:
    """Each of the two is below 3 % of the whole time, and both together are above."""
    settings = {"index.adaptive_hash": ("OFF", "ON")}
    example = Example({"thread.on_cpu": 1.11, "thread.run_queue": 0.3}, {"thread.on_cpu": 21.0}, settings=settings)
    found = example.ranked(repeats=4, spread=0.002)
    parts = {part.part_id: part for part in found.gap.parts}
    on_cpu = parts["thread.on_cpu"]
    assert found.gap.parts[0] is on_cpu and on_cpu.difference.verdict == "decided"
    assert on_cpu.by_work_ms is not None and 0 < on_cpu.by_work_ms < LEAST_SHARE * found.gap.total.left_ms
    assert on_cpu.by_cost_ms is not None and 0 < on_cpu.by_cost_ms < LEAST_SHARE * found.gap.total.left_ms
    assert first(found) == "processor-work"
    assert found.causes[0].grade == "explained by"
    assert found.causes[0].claims["thread.on_cpu"] == pytest.approx(on_cpu.difference.ms)
    assert found.causes[0].settings == settings


def test_a_cause_of_processor_time_alone_takes_as_much_as_its_work_can_take_and_brings_no_more() -> None:
    example = replace(EXAMPLES["table-cache-small"], facts={"engine.table_cache.misses": (0.0, 3.0)})
    found = replace(example, right={**example.right, "thread.latch": 5.0}).ranked()
    claims = next(one.claims for one in found.causes if one.cause.cause_id == "table-cache-small")
    assert claims["thread.on_cpu"] == pytest.approx(3 * 0.1)
    assert claims["thread.latch"] == pytest.approx(claims["thread.on_cpu"] + claims["thread.run_queue"])
    dearer = next(one.claims for one in found.causes if one.cause.cause_id == "dearer-rows")
    parts = {part.part_id: part.difference.ms for part in found.gap.parts}
    assert claims["thread.on_cpu"] + dearer["thread.on_cpu"] == pytest.approx(parts["thread.on_cpu"])


def test_a_load_generator_on_its_own_host_does_not_wait_for_the_server_s_threads() -> None:
    facts = {"processors.background": (0.1, 0.9), "client.stretch": (1.0, 3.0)}
    beside = Example({"thread.client": 1.5}, facts=facts)
    assert first(beside.ranked()) == "background-work"
    assert first(replace(beside, has_client_host=True).ranked()) == "client-work"


@pytest.mark.parametrize(
    ("background", "busy", "is_charged"),
    [
        ((0.1, 0.12), None, False),
        ((0.1, 0.14), None, True),
        ((0.1, 0.19), (4.0, 4.0), False),
        ((0.1, 0.23), (4.0, 4.0), True),
        ((0.1, 0.19), (2.0, 4.0), True),
    ],
)
def test_a_wait_is_charged_to_a_user_whose_use_grew_by_an_amount_that_counts(
    background: tuple[float, float], busy: tuple[float, float] | None, is_charged: bool
) -> None:
    """At least 0.03 processors, and 3 % of the busy ones of the side with fewer."""
    facts = {"processors.background": background} | ({} if busy is None else {"processors.busy": busy})
    found = Example({"thread.run_queue": 2.0}, facts=facts).ranked()
    assert (first(found) == "background-work") == is_charged
    assert ("background-work" in {one.cause.cause_id for one in found.causes}) == is_charged


def test_a_wait_that_is_charged_to_other_programs_has_them_as_its_cause() -> None:
    used = {"processors.neighbours": (1.21, 1.29), "processors.sessions": (0.59, 0.53), "processors.busy": (2.0, 2.0)}
    assert first(Example({"thread.run_queue": 2.0}, facts=used).ranked()) == "neighbours"


@pytest.mark.parametrize(
    ("others", "sessions", "cause_id"),
    [
        ((0.01, 0.05), (1.6, 0.9), "less-processor-time"),
        ((0.01, 0.05), (1.6, 1.56), "neighbours"),  # what the sessions lost they took
        ((0.0, 0.9), (1.6, 0.4), "neighbours"),  # they took less, and can have caused the whole wait all the same
    ],
)
def test_others_are_charged_with_no_longer_a_wait_than_they_can_cause(
    others: tuple[float, float], sessions: tuple[float, float], cause_id: str
) -> None:
    """A transaction of the right side takes 8.5 ms: 0.04 processors more keep it waiting for 0.34 ms."""
    facts = {"processors.neighbours": others, "processors.sessions": sessions, "time": (2.5, 8.5)}
    found = Example({"thread.run_queue": 6.3}, facts=facts).ranked()
    assert first(found) == cause_id
    waits_ms = {one.cause.cause_id: one.claims.get("thread.run_queue", 0.0) for one in found.causes}
    (whole_ms,) = (part.difference.ms for part in found.gap.parts if part.part_id == "thread.run_queue")
    charged_ms = 0.04 * 8.5 if cause_id == "less-processor-time" else whole_ms
    assert waits_ms["neighbours"] == pytest.approx(charged_ms, rel=0.05)
    assert sum(waits_ms.values()) == pytest.approx(whole_ms)


def test_sessions_that_wait_longer_and_use_as_much_had_no_less_processor_time() -> None:
    waits = Example({"thread.run_queue": 4.0}, facts={"processors.sessions": (1.5, 1.48)})
    assert first(waits.ranked()) == "too-many-connections"
    assert first(replace(waits, facts={"processors.sessions": (1.5, 1.4)}).ranked()) == "less-processor-time"
    assert first(replace(waits, facts={}).ranked()) == "too-many-connections"


@pytest.mark.parametrize("cause_id", ["sort-files", "temporary-tables"])
@pytest.mark.parametrize("waits", [{}, {"thread.other_file": 1.0}])
def test_writes_of_files_for_one_statement_are_a_cause_whether_they_wait_or_compute(
    cause_id: str, waits: dict[str, float]
) -> None:
    example = EXAMPLES[cause_id]
    found = replace(example, right={**example.right, **waits}).ranked()
    parts = {part.part_id: part.difference.ms for part in found.gap.parts}
    assert first(found) == cause_id
    for part_id in ("thread.on_cpu", *waits):
        assert found.causes[0].claims[part_id] == pytest.approx(parts[part_id])


@pytest.mark.parametrize(
    ("cause_id", "fact"),
    [("sort-files", "engine.sort.merge_passes"), ("temporary-tables", "engine.tmp_disk_tables")],
)
@pytest.mark.parametrize(
    ("count", "is_material"), [((0.0, 0.001), False), ((0.0002, 0.0009), False), ((0.1, 0.3), True)]
)
def test_files_of_one_transaction_in_a_thousand_explain_no_wait_of_all(
    cause_id: str, fact: str, count: tuple[float, float], is_material: bool
) -> None:
    """Earlier versions claimed all waits for files as soon as a counter near none had grown by a tenth."""
    found = Example({"thread.other_file": 2.0}, facts={fact: count}).ranked()
    assert first(found) == (cause_id if is_material else "other-files")
