"""Real engines for the tests that want them, see `laboratory`: one laboratory a session, whatever folders use it."""

from laboratory import laboratory, start

__all__ = ["laboratory", "start"]
