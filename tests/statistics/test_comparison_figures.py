"""How often comparisons of cells are right: false differences, found differences, and their intervals."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from figures_page import publish

from dbdyno.stats import (
    LogLevel,
    compare,
    compare_pairs,
    holm,
    moderated_spread,
    repeated_level,
    verdict_of,
)

pytestmark = pytest.mark.slow
CELLS = 96
TARGETS = 4
STUDIES = 150
SPREAD = 0.012
VERDICTS = ("different", "slightly different", "same", "undecided")


Pair = tuple[bool, str]


def simulated(generator: np.random.Generator, repeats: int, gap: float) -> list[list[Pair]]:
    """Places of a study with four targets each; per pair whether its first is truly ahead, and the verdict.

    The first target of each place is ahead of the three others by `gap`; spreads are log-normal around 1.2 %.
    """
    sd = SPREAD * np.exp(generator.normal(0, 0.5, CELLS))
    truth = np.where(np.arange(CELLS) % TARGETS == 0, math.log1p(gap), 0.0)
    groups = generator.normal(truth[:, None], sd[:, None], (CELLS, repeats))
    spread = moderated_spread(list(groups))
    levels = [repeated_level(g, s, df) for g, s, df in zip(groups, spread.sd, spread.df, strict=True)]
    return [judged_place(levels[place : place + TARGETS]) for place in range(0, CELLS, TARGETS)]


def judged_place(levels: list[LogLevel]) -> list[Pair]:
    pairs = list(itertools.combinations(range(TARGETS), 2))
    differences = [compare(levels[a], levels[b]) for a, b in pairs]
    adjusted = holm([each.p for each in differences])
    return [(a == 0, verdict_of(found, p)) for (a, _), found, p in zip(pairs, differences, adjusted, strict=True)]


def test_a_place_of_equal_targets_seldom_has_a_false_difference() -> None:
    rows = []
    for repeats in (2, 3, 5):
        places = places_of(repeats, 0.0)
        verdicts = Counter(verdict for place in places for _, verdict in place)
        false = np.mean([any(verdict in VERDICTS[:2] for _, verdict in place) for place in places])
        shares = [f"{100 * verdicts[verdict] / verdicts.total():.1f} %" for verdict in VERDICTS]
        rows.append([f"{repeats}", *shares, f"{100 * false:.1f} %"])
        assert false <= 0.12
    publish("comparisons of equal cells", ["repeats", *VERDICTS, "places with a false difference"], rows)


def test_a_gap_between_cells_is_found_the_oftener_the_wider_it_is() -> None:
    rows, found = [], {}
    for repeats in (2, 3, 5):
        for gap in (0.03, 0.05, 0.10):
            verdicts = Counter(verdict for place in places_of(repeats, gap) for is_ahead, verdict in place if is_ahead)
            found[repeats, gap] = verdicts["different"] / verdicts.total()
            shares = [f"{100 * verdicts[verdict] / verdicts.total():.1f} %" for verdict in VERDICTS]
            rows.append([f"{repeats}", f"{gap:.0%}", *shares])
    publish("comparisons of cells with a gap", ["repeats", "true gap", *VERDICTS], rows)
    assert all(found[repeats, 0.03] < found[repeats, 0.05] < found[repeats, 0.10] for repeats in (2, 3, 5))
    assert found[3, 0.05] >= 0.8


def test_moderated_pairs_find_more_and_are_not_called_different_oftener_than_they_should() -> None:
    rows, shares = [], {}
    for rounds, gap in itertools.product((2, 4, 6), (0.0, 0.03, 0.05)):
        for moderated in (True,) if rounds == 2 else (False, True):
            generator = np.random.default_rng(78)
            verdicts = Counter(v for _ in range(STUDIES) for v in paired_verdicts(generator, rounds, gap, moderated))
            shares[rounds, gap, moderated] = {verdict: verdicts[verdict] / verdicts.total() for verdict in VERDICTS}
            found = [f"{100 * shares[rounds, gap, moderated][verdict]:.1f} %" for verdict in VERDICTS]
            rows.append([f"{rounds}", f"{gap:.0%}", "moderated" if moderated else "own", *found])
    publish("comparisons of pairs", ["rounds", "true gap", "spread of pairs", *VERDICTS], rows)
    for rounds, most_false in ((2, 0.07), (4, 0.06), (6, 0.06)):  # moderated spread of two holds in 94 % of cases
        false = shares[rounds, 0.0, True]
        assert false["different"] + false["slightly different"] <= most_false
        if rounds > 2:
            assert shares[rounds, 0.05, True]["different"] > shares[rounds, 0.05, False]["different"]


def paired_verdicts(generator: np.random.Generator, rounds: int, gap: float, moderated: bool) -> list[str]:
    """Two targets at 24 places, on a machine whose drift from round to round (5 %) moves both."""
    sd = SPREAD * np.exp(generator.normal(0, 0.5, (24, 1, 2)))
    drift = generator.normal(0, 0.05, (24, rounds, 1))
    logs = drift + generator.normal(0, sd, (24, rounds, 2)) + np.array([math.log1p(gap), 0.0])
    differences = list(logs[..., 0] - logs[..., 1])
    spreads = [(float(pairs.std(ddof=1)), rounds - 1.0) for pairs in differences]
    if moderated:
        shared = moderated_spread(differences)
        spreads = list(zip(shared.sd, shared.df, strict=True))
    found = [compare_pairs(pairs, *spread) for pairs, spread in zip(differences, spreads, strict=True)]
    return [verdict_of(each, each.p) for each in found]


def places_of(repeats: int, gap: float) -> list[list[Pair]]:
    generator = np.random.default_rng(77)
    return [place for _ in range(STUDIES) for place in simulated(generator, repeats, gap)]
