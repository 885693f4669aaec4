"""What `explain` found of a planted bottleneck, held against what was planted."""

from __future__ import annotations

from dataclasses import dataclass

from planted_bottlenecks import Seed

from dbdyno.analyse.explain import CauseRanking, Gap

_MOST_APART = 0.1


@dataclass(frozen=True)
class Found:
    """What was found of a seed on an engine.

    Parameters
    ----------
    unnamed : largest share of the time without a name
    unscaled_ms : both sides' parts, before the sampled waits are scaled to what the kernel leaves of the time
    """

    seed: Seed
    engine: str
    ranking: CauseRanking
    unnamed: float
    unscaled_ms: tuple[float, float]

    @property
    def gap(self) -> Gap:
        """Of which the causes are ranked."""
        return self.ranking.gap

    @property
    def is_right(self) -> bool:
        """Whether the planted part grew most, or nothing is decided where nothing was planted."""
        if not self.seed.expected:
            return not self.gap.with_verdict("decided")
        return max(self.gap.parts, key=lambda part: part.difference.ms).part_id in self.seed.expected

    @property
    def is_cause_right(self) -> bool:
        """Whether the planted causes are the first, or none is decided where nothing was planted."""
        first = self.ranking.causes[: len(self.seed.causes)]
        is_found = {one.cause.cause_id for one in first} == set(self.seed.causes)
        return is_found if self.seed.causes else not self.ranking.decided

    @property
    def closing_share(self) -> float:
        """What the unscaled parts make of the whole difference."""
        return (self.unscaled_ms[1] - self.unscaled_ms[0]) / self.gap.total.ms

    @property
    def is_closing(self) -> bool:
        """Whether the unscaled parts make a planted difference within 10 %; two servers alike have none."""
        return not self.seed.expected or abs(self.closing_share - 1) <= _MOST_APART

    @property
    def known_ms(self) -> float | None:
        """The part of known size; None where no size is known."""
        sizes = [part.difference.ms for part in self.gap.parts if part.part_id in self.seed.expected]
        return max(sizes, default=0.0) if self.seed.known_ms else None

    @property
    def is_size_right(self) -> bool:
        """Whether a part of known size was found within 10 %."""
        return self.known_ms is None or abs(self.known_ms - self.seed.known_ms) <= _MOST_APART * self.seed.known_ms

    @property
    def has_all_right(self) -> bool:
        """Whether part, cause, closing check and known size are right."""
        return self.is_right and self.is_cause_right and self.is_closing and self.is_size_right

    def row(self) -> str:
        """A row of the table."""
        total = self.gap.total
        grown = [part for part in self.gap.parts if part.difference.ms > 0][:3]
        named = ", ".join(f"{part.words} {part.difference.ms:+.2f} ({part.difference.verdict})" for part in grown)
        verdict = _yes(self.is_right)
        times_ms = total.left_ms, total.right_ms
        sides = [f"{100 * ms / whole:.1f}" for ms, whole in zip(self.unscaled_ms, times_ms, strict=True)]
        closing = f"{100 * self.closing_share:.0f} %" if self.seed.expected else "-"
        closing = f"{' and '.join(sides)} %, of the difference {closing} | {_yes(self.is_closing)}"
        size = "- | -"
        if self.known_ms is not None:
            size = f"{self.known_ms:+.2f} of {self.seed.known_ms:g} | {_yes(self.is_size_right)}"
        times = f"{total.left_ms:.2f} → {total.right_ms:.2f}"
        first = ", ".join(
            f"`{one.cause.cause_id}` {one.difference.ms:+.2f} ({one.difference.verdict})"
            for one in self.ranking.causes[: max(len(self.seed.causes), 1)]
        )
        left = f"{self.ranking.not_explained.ms:+.2f}"
        causes = f"{first} | {left} | {_yes(self.is_cause_right)}"
        unnamed = f"{100 * self.unnamed:.1f} %"
        shown = (self.seed.what, self.engine, times, named, verdict, causes, unnamed, closing, size)
        return f"| {' | '.join(shown)} |"


def _yes(is_right: bool) -> str:
    return "yes" if is_right else "**no**"
