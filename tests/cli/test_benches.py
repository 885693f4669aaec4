"""Pages and lines of benches say what was measured, and what was not."""

from __future__ import annotations

from pathlib import Path

import pytest

BENCHES = Path(__file__).parents[2] / "benches"


@pytest.mark.parametrize(("left_out", "foot"), [([], ""), (["the slow log", "a trigger"], "the slow log; a trigger.")])
def test_a_page_of_some_planted_bottlenecks_names_the_others(
    left_out: list[str], foot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHES)
    import seeds

    page = seeds._page(["| row lock | yes | yes |"], left_out)
    assert "1 of 1 have both" in page
    end = page.partition("| row lock | yes | yes |\n")[2]
    assert end.strip().endswith(foot) and bool(end) == bool(left_out)


def test_processors_that_others_use_are_not_those_of_client_and_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHES)
    import throughput

    line = throughput._median_line([throughput.Sample(1000.0, 100.0, 900.0, busy=1.0, others=0.25)])
    assert line.endswith("both use 1.00 processors, others 0.25")
