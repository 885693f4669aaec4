"""What may differ between two measurements and be let be: `--despite`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.core import RequestError

if TYPE_CHECKING:
    from dbdyno.report import ObstacleKind


def listed_obstacles(text: str) -> list[ObstacleKind]:
    """The obstacles that a list with commas names.

    Raises
    ------
    RequestError : a word is none
    """
    from dbdyno.report import OBSTACLE_KINDS  # late: see _main
    from dbdyno.study import nearest

    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in OBSTACLE_KINDS:
            raise RequestError(
                f"'{word}' is no obstacle",
                f"there are {', '.join(OBSTACLE_KINDS)}",
                nearest(word, list(OBSTACLE_KINDS)),
            )
    return [kind for kind in OBSTACLE_KINDS if kind in words]
