"""Assigns colours, dashes and shapes to targets: hue is the family, strength the version.

Up to four targets that share a family have a hue each.

Charts name colours by CSS variables (``var(--t0)``), so that light, dark and print need no second drawing; `resolved`
puts values in their place where there is no style sheet. The hues stay apart in the common forms of colour blindness
(after Okabe and Ito), and nothing is shown by colour alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dbdyno.core import Target

# family -> (strong, weak) on a light page, (strong, weak) on a dark one
_HUES: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "mariadb": ("#0b5394", "#5fa3d9", "#7cc0f5", "#4585b8"),
        "mysql": ("#b44a00", "#e8943f", "#ffab5e", "#c07431"),
        "percona": ("#6f2c91", "#b07cc6", "#d3a4e8", "#95639f"),
    }
)
_OTHERS = ("#0a6b4c", "#4fb08c", "#6fd6ae", "#3f8f70")
# Four hues as far apart as possible, also for colour-blind readers; (light, dark), the first belongs to the family.
_APART = (("#0b5394", "#7cc0f5"), ("#b44a00", "#ffa04a"), ("#b56bc9", "#b98cff"), ("#0a8f6a", "#d8e27a"))
_OWNERS = ("mariadb", "mysql", "percona")
_SPARE = (1, 3, 2, 0)
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [4, 4])
INK: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "ink": ("#1d2126", "#e7e9ec"),
        "quiet": ("#58616b", "#a4adb8"),
        "rule": ("#d5dade", "#3a424b"),
        "paper": ("#ffffff", "#14181c"),
        "warm": ("#8a929b", "#7d8792"),
        "window": ("#2f7fc1", "#5d9fd6"),
        "alarm": ("#b3261e", "#ff8a80"),
        "s0": ("#0b5394", "#7cc0f5"),
        "s1": ("#b44a00", "#ffab5e"),
        "s2": ("#0a6b4c", "#6fd6ae"),
        "s3": ("#6f2c91", "#d3a4e8"),
        "s4": ("#8a7500", "#e3cf5b"),
        "s5": ("#58616b", "#a4adb8"),
        "s6": ("#b0306a", "#f5a3cf"),
        "s7": ("#1b8a9c", "#7fdbe8"),
        "h0": ("#f1f4f8", "#1d252d"),
        "h1": ("#dbe6f2", "#22374c"),
        "h2": ("#b9d1e9", "#2a4c6e"),
        "h3": ("#8db7de", "#35658f"),
        "h4": ("#5c9ad0", "#5fa1d8"),
        "h5": ("#0b5394", "#b5dbff"),
        "f0": ("#fbf3df", "#2f2b20"),
        "fg": ("#cdd2d8", "#4b535c"),
        "fr1": ("#fbe0d9", "#4a2a26"),
        "fr2": ("#f2b3a5", "#7a3529"),
        "fr3": ("#e58673", "#a8442f"),
        "fb1": ("#dde9f6", "#22374c"),
        "fb2": ("#abc9e8", "#2b5580"),
        "fb3": ("#7caedd", "#3672ae"),
        "x0": ("#1d2126", "#e7e9ec"),
        "x1": ("#1d2126", "#e7e9ec"),
        "x2": ("#1d2126", "#ffffff"),
        "x3": ("#10151a", "#ffffff"),
        "x4": ("#0c1116", "#0c1116"),
        "x5": ("#ffffff", "#0c1116"),
    }
)


@dataclass(frozen=True, slots=True)
class TargetStyle:
    """Holds how one target is drawn everywhere."""

    target: str
    variable: str
    light: str
    dark: str
    shape: str
    dash: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Palette:
    """Describes the looks of all targets of a study."""

    looks: tuple[TargetStyle, ...]

    @property
    def targets(self) -> list[str]:
        """Return names, in the order of the study."""
        return [look.target for look in self.looks]

    @property
    def colours(self) -> list[str]:
        """Return CSS variables, in the order of the study."""
        return [f"var(--{look.variable})" for look in self.looks]

    def css(self) -> tuple[str, str]:
        """Return declarations of the variables on a light and on a dark page."""
        named = {**INK, **{look.variable: (look.light, look.dark) for look in self.looks}}
        light = "".join(f"--{name}:{values[0]};" for name, values in named.items())
        dark = "".join(f"--{name}:{values[1]};" for name, values in named.items())
        return light, dark

    def resolved(self, spec: str) -> str:
        """Return a chart's JSON with the values of a light page instead of the variables."""
        named = {**{name: values[0] for name, values in INK.items()}, **{x.variable: x.light for x in self.looks}}
        return re.sub(r"var\(--([a-z0-9]+)\)", lambda match: named[match[1]], spec)


def palette_of(targets: Sequence[Target]) -> Palette:
    """Looks for the targets of a study; within a family the newest version is the strongest.

    Up to four targets have a hue each where two of them are of one family: two shades of one hue would be taken for
    one target.
    """
    families: dict[str, list[Target]] = {}
    for target in targets:
        families.setdefault(target.engine.family, []).append(target)
    for members in families.values():
        members.sort(key=_newest_first_key)
    is_few = len(families) < len(targets) <= len(_APART)
    colours = _distinct_hues(families) if is_few else _shades_by_family(families)
    return Palette(tuple(_target_style(index, target, colours[target.name]) for index, target in enumerate(targets)))


def _shades_by_family(families: Mapping[str, Sequence[Target]]) -> dict[str, tuple[str, str]]:
    colours: dict[str, tuple[str, str]] = {}
    for family, ranked_targets in families.items():
        light_strong, light_weak, dark_strong, dark_weak = _HUES.get(family, _OTHERS)
        for index, target in enumerate(ranked_targets):
            share = index / max(len(ranked_targets) - 1, 1)
            colours[target.name] = (
                _mix_colours(light_strong, light_weak, share),
                _mix_colours(dark_strong, dark_weak, share),
            )
    return colours


def _distinct_hues(families: Mapping[str, Sequence[Target]]) -> dict[str, tuple[str, str]]:
    """Give the newest of a family the family's hue, and the others those that are left."""
    hues: dict[str, int] = {}
    for family, ranked_targets in families.items():
        family_hue = _OWNERS.index(family) if family in _OWNERS else len(_OWNERS)
        hues[ranked_targets[0].name] = family_hue if family_hue not in hues.values() else _spare_hue(hues)
    for target in (target for ranked_targets in families.values() for target in ranked_targets[1:]):
        hues[target.name] = _spare_hue(hues)
    return {name: _APART[hue] for name, hue in hues.items()}


def _spare_hue(hues: Mapping[str, int]) -> int:
    return next(hue for hue in _SPARE if hue not in hues.values())


def _target_style(index: int, target: Target, colours: tuple[str, str]) -> TargetStyle:
    shape, dash = _SHAPES[index % len(_SHAPES)], _DASHES[index % len(_DASHES)]
    return TargetStyle(target.name, f"t{index}", *colours, shape, tuple(dash))


def _newest_first_key(target: Target) -> tuple[tuple[int, ...], bool, str]:
    version = tuple(-int(part) for part in target.engine.version.split(".") if part)
    return version, target.engine.storage_engine != "innodb", target.name


def _mix_colours(strong: str, weak: str, share: float) -> str:
    pairs = [(int(strong[i : i + 2], 16), int(weak[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
