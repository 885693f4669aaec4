"""Pages and lines of benches say what was measured, and what was not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analyse.explain import CauseRanking, Difference, Gap, PartGap
from dbdyno.core import Cell

BENCHES = Path(__file__).parents[2] / "benches"


@pytest.mark.parametrize(("left_out", "foot"), [([], ""), (["the slow log", "a trigger"], "the slow log; a trigger.")])
def test_a_page_of_some_planted_bottlenecks_names_the_others(
    left_out: list[str], foot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHES)
    import seeds

    page = seeds._page(["| row lock | yes | yes |"], left_out)
    assert "1 of 1 have all of this" in page
    end = page.partition("| row lock | yes | yes |\n")[2]
    assert end.strip().endswith(foot) and bool(end) == bool(left_out)


@pytest.mark.parametrize(
    ("unscaled_ms", "flush_ms", "is_closing", "is_size_right"),
    [((3.0, 5.0), 2.0, True, True), ((3.0, 5.3), 2.15, False, True), ((2.9, 4.9), 2.3, True, False)],
)
def test_a_planted_bottleneck_of_known_size_is_held_to_a_tenth(
    unscaled_ms: tuple[float, float],
    flush_ms: float,
    is_closing: bool,
    is_size_right: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(BENCHES)
    from found_bottleneck import Found
    from planted_bottlenecks import OTHER_SIZES

    cell = Cell("A", 1 << 20, 1, "sysbench/oltp_update_non_index", "socket")
    flush = Difference(0.5, 0.5 + flush_ms, flush_ms - 0.1, flush_ms + 0.1, 0.01, "decided")
    total = Difference(3.0, 5.0, 1.9, 2.1, 0.01, "decided")
    parts = (PartGap("thread.redo_flush", "redo flush", flush),)
    gap = Gap(cell, replace(cell, target="B"), total, parts, 1.0, 1.0, 3)
    found = Found(OTHER_SIZES[0], "mysql:9.7", CauseRanking(gap, (), total), 0.0, unscaled_ms)
    assert found.is_right and not found.is_cause_right
    assert (found.is_closing, found.is_size_right) == (is_closing, is_size_right)
    assert found.row().count("**no**") == 1 + (not is_closing) + (not is_size_right)


def test_each_bottleneck_is_planted_only_where_its_causes_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHES)
    import planted_bottlenecks as planted

    of_innodb, of_lsm = {"buffer-pool-small", "redo-small", "admission-limit"}, {"block-cache-small", "write-stalls"}
    every = [*planted.SEEDS, *planted.FURTHER_SEEDS, *planted.OTHER_SIZES, *planted.LSM_SEEDS]
    assert of_innodb | of_lsm <= {cause for seed in every for cause in seed.causes}
    for seed in every:
        assert not (of_innodb & set(seed.causes) and planted.MYROCKS in seed.engines), seed.name
        assert not of_lsm & set(seed.causes) or seed.engines == (planted.MYROCKS,), seed.name


def test_processors_that_others_use_are_not_those_of_client_and_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHES)
    import throughput

    line = throughput._median_line([throughput.Sample(1000.0, 100.0, 900.0, busy=1.0, others=0.25)])
    assert line.endswith("both use 1.00 processors, others 0.25")
