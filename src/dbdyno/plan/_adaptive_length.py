"""How long a run is driven, as its study says: the rule that is followed live and asked again of what was stored."""

from __future__ import annotations

from dbdyno.stats import SHORTEST_WARM_UP_S, AdaptiveLengthRule, StoppingRule
from dbdyno.study import Study


def adaptive_length_rule(study: Study, *, is_step: bool = False) -> AdaptiveLengthRule:
    r"""The rule of a study's runs.

    Parameters
    ----------
    is_step : of a run that goes on with the server of the one before it: its warm-up is the short one, whose length is
        fixed; what still moves then keeps the window's checks from counting

    >>> from dbdyno.study import parse_study
    >>> text = 'targets = ["mysql:9.7"]\nworkload.name = "oltp_read_only"\naxes = {tier = "64MB", concurrency = 4}\n'
    >>> rule = adaptive_length_rule(parse_study(text + 'measure = {warm_up = "auto", window = "auto"}', "example.toml"))
    >>> rule.warm_up_s, rule.window_s, rule.stopping.precision
    (1800, 900, 0.02)
    """
    ends, least_ns = study.open_ends, study.open_ends.window_least_ns
    stopping = None if least_ns is None else StoppingRule(ends.target_half_width, first_s=least_ns // 10**9, cap_s=None)
    if is_step:
        return AdaptiveLengthRule(study.step_warm_up_ns // 10**9, study.window_ns // 10**9, stopping=stopping)
    return AdaptiveLengthRule(
        study.warm_up_ns // 10**9, study.window_ns // 10**9, by_state=ends.warm_up, stopping=stopping
    )


def shortest_window_ns(study: Study) -> int:
    """The window of a run, at the least where it ends by its half-width."""
    least_ns = study.open_ends.window_least_ns
    if least_ns is None:
        return study.window_ns
    rule = StoppingRule(first_s=least_ns // 10**9)
    return (rule.first_s + (rule.passes - 1) * rule.every_s) * 10**9


def shortest_warm_up_ns(study: Study) -> int:
    """The warm-up of a run, at the least where it ends by state."""
    return SHORTEST_WARM_UP_S * 10**9 if study.open_ends.warm_up else study.warm_up_ns
