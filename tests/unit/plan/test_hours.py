"""Where a study's time goes: parts that add up, on stated assumptions, and slow ones where nothing is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.plan import Budget, SeenRestores, TimePart, make_plan
from dbdyno.plan._hours import FURTHER, RESTORE, STEP, WARM_UP, WINDOW
from dbdyno.study import ResolvedWorkload, Study, WorkloadChoice, parse_study, read_study

ROOT = Path(__file__).parents[3]
S = 10**9
HOUR = 3600 * S


@pytest.fixture
def published() -> Study:
    return read_study(ROOT / "studies" / "percona-2026.toml")


def workloads_of(study: Study, rows: int) -> dict[tuple[str, str], ResolvedWorkload]:
    return {
        (target.name, choice.label): ResolvedWorkload(choice.name, "sysbench", {}, (), (), 20, rows)
        for target in study.targets
        for choice in study.workloads
    }


def budget(study: Study, rows: int = 100_000_000) -> Budget:
    return make_plan(study, workloads_of(study, rows)).budget


def part(found: Budget, what: str) -> TimePart:
    return next(one for one in found.parts if one.what == what)


def small(measure: str, workload: str = "oltp_read_write", settings: str = "") -> Study:
    text = f'targets = ["mysql:9.7", "mariadb:11.8"]\nworkload.name = "{workload}"\n{settings}\n'
    axes = 'axes = {tier = "64MB", concurrency = [1, 4, 16]}\n'
    return parse_study(f"{axes}{text}[measure]\n{measure}", "small.toml")


def test_the_published_matrix_fits_into_120_hours_with_its_rows_filled(published: Study) -> None:
    found = budget(published)
    assert found.runs.expected_ns + found.prepare_ns <= 120 * HOUR
    in_any_case = sum(one.span.most_ns for one in found.parts if one.what != "further repeats")
    assert in_any_case + found.prepare_ns <= 120 * HOUR, "also where each run goes to its caps"


def test_parts_add_up_to_the_whole(published: Study) -> None:
    found = budget(published)
    assert sum(one.span.expected_ns for one in found.parts) == found.runs.expected_ns
    assert [one.what for one in found.parts] == [RESTORE, WARM_UP, STEP, WINDOW, FURTHER]


def test_a_ladder_is_restored_and_warmed_up_once(published: Study) -> None:
    ladders, runs = budget(published), budget(replace(published, restore="run"))
    steps = len(published.concurrencies)
    for what in (RESTORE, WARM_UP):
        assert part(runs, what).count == steps * part(ladders, what).count
        assert part(runs, what).span == part(ladders, what).span * steps
    assert part(ladders, STEP).count == (steps - 1) * part(ladders, RESTORE).count
    assert part(runs, WINDOW) == part(ladders, WINDOW)


def test_a_restore_takes_the_longer_the_more_there_is_to_copy() -> None:
    study = small('warm_up = "10s"\nwindow = "60s"')
    few, many = (part(budget(study, rows), RESTORE).span.expected_ns for rows in (1000, 100_000_000))
    assert many - few > 12 * 50 * S


def test_restores_take_what_earlier_ones_took_here() -> None:
    study = small('warm_up = "10s"\nwindow = "60s"\nsettle = "2s"')
    assumed = part(budget(study, 1000), RESTORE)
    size = 300 << 20
    slow, fast = (
        part(make_plan(study, workloads_of(study, 1000), SeenRestores(44, seconds * S, size)).budget, RESTORE)
        for seconds in (20, 1)
    )
    # the rows of this study take next to nothing: what is copied is as large as what was copied before
    assert slow.span.expected_ns == pytest.approx(12 * (20 + 2) * S, rel=0.01)
    assert fast.span.expected_ns == pytest.approx(12 * (1 + 2) * S, rel=0.01)
    assert fast.span.expected_ns < assumed.span.expected_ns < slow.span.expected_ns
    assert "44 earlier runs here: 20 s each with 300 MiB" in slow.basis
    larger = make_plan(study, workloads_of(study, 100_000_000), SeenRestores(44, 1 * S, size)).budget
    assert part(larger, RESTORE).span.expected_ns > 10 * fast.span.expected_ns


def test_a_restore_of_a_small_study_is_assumed_to_take_a_few_seconds() -> None:
    """Recorded runs of small studies took 1.2 s to 4.3 s around their window, 2.1 s on average, copying included."""
    assumed = part(budget(read_study(ROOT / "studies" / "first.toml"), 600_000), RESTORE)
    assert 1.5 * S <= assumed.span.expected_ns / assumed.count <= 3 * S


def test_lengths_that_are_fixed_are_no_estimate() -> None:
    found = budget(small('warm_up = "10s"\nwindow = "60s"'), 1000)
    assert found.runs.least_ns == found.runs.expected_ns == found.runs.most_ns
    assert part(found, "window").span.expected_ns == 12 * 60 * S


def test_writers_whose_redo_log_is_still_filling_are_planned_at_their_caps() -> None:
    measure = 'warm_up = "auto"\nwarm_up_max = "600s"\nwindow = "auto"\nwindow_max = "600s"'
    large = 'settings = {redo.capacity = "8GB"}'
    for workload, is_at_cap in (("oltp_read_write", True), ("oltp_read_only", False)):
        found = budget(small(measure, workload, large), 1_000_000)
        window = part(found, "window").span
        assert (window.expected_ns == window.most_ns) == is_at_cap
        warm_up = part(found, "warm-up after a restore").span
        assert (warm_up.expected_ns == warm_up.most_ns) == is_at_cap


def test_further_repeats_cost_the_more_the_surer_levels_shall_be() -> None:
    measure = 'warm_up = "10s"\nwindow = "180s"\nrepeats = 2\nrepeats_max = 4\nlevel_target_half_width = '
    times = [part(budget(small(measure + sure), 1000), "further repeats").span for sure in ("0.10", "0.05", "0.01")]
    expected = [span.expected_ns for span in times]
    assert expected == sorted(expected)
    assert expected[0] < expected[-1]
    assert all(span.least_ns == 0 and span.expected_ns <= span.most_ns for span in times)


@pytest.mark.parametrize(
    ("names", "datasets"),
    [
        (("sysbench/oltp_read_only", "sysbench/oltp_insert"), 1),
        (("tpcc/standard", "tpcc/hammerdb"), 2),
        (("sql:shop", "sql:queue"), 2),
    ],
)
def test_each_dataset_is_filled_and_kept_once(names: tuple[str, str], datasets: int) -> None:
    workloads = tuple(WorkloadChoice(name, name) for name in names)
    two = replace(small('warm_up = "10s"\nwindow = "60s"'), workloads=workloads)
    one = replace(two, workloads=workloads[:1])
    further, rows = datasets - 1, 100_000_000
    targets = len(two.targets)
    disk_bytes = budget(two, rows).disk_bytes - budget(one, rows).disk_bytes
    assert targets * further * rows * 200 <= disk_bytes <= targets * further * rows * 300
    prepare_ns = budget(two, rows).prepare_ns - budget(one, rows).prepare_ns
    assert (prepare_ns > HOUR) == bool(further)


def test_running_servers_are_not_fetched_and_take_no_disk_here() -> None:
    own = small('warm_up = "10s"\nwindow = "60s"')
    running = [
        replace(target, engine=replace(target.engine, source=f"server:{number}"))
        for number, target in enumerate(own.targets)
    ]
    mixed, alone = replace(own, targets=(own.targets[0], running[1])), replace(own, targets=tuple(running))
    all_bytes, mixed_bytes, no_bytes = (budget(study).disk_bytes for study in (own, mixed, alone))
    copy_bytes = budget(own).copy_bytes
    assert mixed_bytes - copy_bytes == pytest.approx((all_bytes - copy_bytes) / 2)
    assert no_bytes == 0
    assert budget(own).prepare_ns > budget(mixed).prepare_ns > budget(alone).prepare_ns > HOUR


def test_the_average_run_is_its_surroundings_and_its_window(published: Study) -> None:
    found = budget(published)
    window_ns = part(found, "window").span.expected_ns // found.run_count
    assert found.run_ns == pytest.approx(found.overhead_ns + window_ns, abs=2)


def test_a_running_server_is_neither_restored_nor_started() -> None:
    own = small("repeats = 2\nsettle = '1s'")
    servers = '[servers.mine]\nsocket = "/s"\nuser = "u"\n'
    text = 'axes = {tier = "64MB", concurrency = [1, 4, 16]}\nworkload.name = "oltp_read_write"\n'
    measure = "measure = {repeats = 2, settle = '1s'}\n"
    alone = parse_study(f'targets = ["mysql@server:mine"]\n{text}{measure}{servers}', "s.toml")
    mixed = parse_study(f'targets = ["mysql@server:mine", "mysql:9.7"]\n{text}{measure}{servers}', "s.toml")
    of_own, of_alone, of_mixed = (part(budget(study, 1000), RESTORE).span for study in (own, alone, mixed))
    assert of_alone.expected_ns == 6 * S, "only the idle pauses"
    assert of_mixed.expected_ns == of_own.expected_ns // 2 + 6 * S
