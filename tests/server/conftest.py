"""Real engines for the tests of this folder, see `laboratory`."""

from laboratory import laboratory, start

__all__ = ["laboratory", "start"]
