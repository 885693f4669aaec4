"""Orders the cells of a study, with seeds and budgets. Reads the study only, never the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.plan._alterations import Alteration, ProofStudy, alterations, proof_study, with_lengths
    from dbdyno.plan._budget import Budget, check_budget
    from dbdyno.plan._deal import (
        Piece,
        benches_apart,
        dealt_to_benches,
        next_piece,
        pieces,
        pieces_left,
        planned_runs,
        wanted_runs,
    )
    from dbdyno.plan._deep_study import DEEP_WINDOW_NS, deep_study
    from dbdyno.plan._designs import (
        SHORTEST_WINDOW_S,
        Design,
        adaptive_length_rule,
        best_within,
        cheapest_design,
        designs_for,
        planned_design,
    )
    from dbdyno.plan._hours import SeenRestores, TimePart, TimeRange
    from dbdyno.plan._order import ordered_runs, share_server
    from dbdyno.plan._out_of_scope import out_of_scope
    from dbdyno.plan._parts import Dealt, PartOfStudy, dealt_over, runs_of_part
    from dbdyno.plan._plan import Plan, ResolvedWorkloads, make_plan
    from dbdyno.plan._repeats import FurtherRound, further_rounds, unsure_cells
    from dbdyno.plan._self_check import FIRST, SECOND, SelfCheckChoices, self_check_study
else:
    __getattr__ = late_names(
        __name__,
        {
            "_alterations": "Alteration ProofStudy alterations proof_study with_lengths",
            "_budget": "Budget check_budget",
            "_deal": "Piece benches_apart dealt_to_benches next_piece pieces pieces_left planned_runs wanted_runs",
            "_deep_study": "DEEP_WINDOW_NS deep_study",
            "_designs": (
                "SHORTEST_WINDOW_S Design adaptive_length_rule best_within cheapest_design designs_for planned_design"
            ),
            "_hours": "SeenRestores TimePart TimeRange",
            "_order": "ordered_runs share_server",
            "_out_of_scope": "out_of_scope",
            "_parts": "Dealt PartOfStudy dealt_over runs_of_part",
            "_plan": "Plan ResolvedWorkloads make_plan",
            "_repeats": "FurtherRound further_rounds unsure_cells",
            "_self_check": "FIRST SECOND SelfCheckChoices self_check_study",
        },
    )

__all__ = [
    "DEEP_WINDOW_NS",
    "FIRST",
    "SECOND",
    "SHORTEST_WINDOW_S",
    "Alteration",
    "Budget",
    "Dealt",
    "Design",
    "FurtherRound",
    "PartOfStudy",
    "Piece",
    "Plan",
    "ProofStudy",
    "ResolvedWorkloads",
    "SeenRestores",
    "SelfCheckChoices",
    "TimePart",
    "TimeRange",
    "adaptive_length_rule",
    "alterations",
    "benches_apart",
    "best_within",
    "cheapest_design",
    "check_budget",
    "dealt_over",
    "dealt_to_benches",
    "deep_study",
    "designs_for",
    "further_rounds",
    "make_plan",
    "next_piece",
    "ordered_runs",
    "out_of_scope",
    "pieces",
    "pieces_left",
    "planned_design",
    "planned_runs",
    "proof_study",
    "runs_of_part",
    "self_check_study",
    "share_server",
    "unsure_cells",
    "wanted_runs",
    "with_lengths",
]
