"""Claims in the terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from claim_cases import ENGINES, GIB, RW, claim, none_closing, run
from dbdyno.analyse import judge_cells
from dbdyno.analyse.claims import Published, judge_claims
from dbdyno.report import CheckedClaims, print_claims


@pytest.mark.parametrize("width", [60, 160])
def test_each_claim_is_one_line_with_its_sentence_below(width: int) -> None:
    """The sentence has the width of the terminal: in a column of its own it would be a tower of words."""
    sentence = "MySQL 8.4.8 does so many transactions a second with so many connections and 2 GB."
    claims = (claim("level", sentence=sentence), claim("level", 5000.0, sentence=sentence))
    report = Published("x", "What x printed", ENGINES, (RW,), ("loopback",), (2 * GIB,), (16,), claims)
    judged = judge_claims(report, judge_cells([run()]), none_closing)
    out = io.StringIO()
    checked = CheckedClaims(report, tuple(judged))
    print_claims(checked, Console(file=out, width=width, color_system=None))
    title, head, *lines, last = (line.rstrip() for line in out.getvalue().splitlines())
    assert (title, last) == (report.title, checked.tally)
    assert head.split() == ["claim", "verdict", "printed", "here,", "95", "%"]
    verdicts = [line for line in lines if not line.startswith(" ")]
    assert ["+ holds" in line for line in verdicts] == [True, False] and "- does not hold" in verdicts[1]
    assert len({line.index("TPS") for line in verdicts}) == 1, "columns of all rows are in line"
    indent = head.index("verdict")
    below = [line for line in lines if line.startswith(" ")]
    assert all(line[:indent].isspace() and line[indent] != " " for line in below)
    assert " ".join(" ".join(below).split()).count(f"claim: {sentence}") == 2
