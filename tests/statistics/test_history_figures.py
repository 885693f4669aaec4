"""How often change points over a history are right: histories of noise alone, and drops that are found."""

from __future__ import annotations

import numpy as np
import pytest
from figures_page import publish

from dbdyno.stats import change_points

pytestmark = pytest.mark.slow
SPREAD = 0.01
STUDIES = (5, 10, 20, 60, 120)
NEW_STUDIES = (1, 2, 3, 5)
HISTORIES = 600
DROPS = 200


def test_histories_of_noise_seldom_have_a_change_point() -> None:
    shares = []
    for count in STUDIES:
        generator = np.random.default_rng(31)
        draws = generator.normal(7.0, SPREAD, (HISTORIES, count))
        shares.append(float(np.mean([bool(change_points(np.exp(logs))) for logs in draws])))
    rows = [[f"{100 * share:.1f} %" for share in shares]]
    publish("change points of noise", [f"{count} studies" for count in STUDIES], rows)
    assert max(shares) <= 0.02


def test_drops_are_found_the_oftener_the_more_studies_show_them() -> None:
    rows, found = [], {}
    for drop in (0.03, 0.05):
        for new in NEW_STUDIES:
            for count in STUDIES[1:]:
                found[drop, new, count] = _found(drop, new, count)
            shares = [f"{100 * found[drop, new, count]:.0f} %" for count in STUDIES[1:]]
            rows.append([f"{drop:.0%}", f"{new}", *shares])
    publish(
        "drops found in histories", ["drop", "studies since", *(f"of {count} studies" for count in STUDIES[1:])], rows
    )
    assert all(found[0.03, new, 20] < found[0.05, new, 20] for new in NEW_STUDIES)
    assert found[0.05, 2, 20] >= 0.85


def _found(drop: float, new: int, count: int) -> float:
    """Share of histories in which a drop that the last `new` studies show is found in its place."""
    generator = np.random.default_rng(32)
    draws = generator.normal(7.0, SPREAD, (DROPS, count))
    draws[:, count - new :] += np.log1p(-drop)
    places = [[move.index for move in change_points(np.exp(logs))] for logs in draws]
    return float(np.mean([count - new in own for own in places]))
