"""How long the attacks go on: once in CI, as often as `DBDYNO_ATTACK_ROUNDS` says in `make attack`."""

from __future__ import annotations

import os

ROUNDS = int(os.environ.get("DBDYNO_ATTACK_ROUNDS", "1"))
