"""Help and wrong words are answered at once: the rooms that do the work are loaded when a command runs."""

from __future__ import annotations

import subprocess
import sys

_LOADED = """
import sys
from dbdyno.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
heavy = ("numpy", "scipy", "pyarrow", "duckdb", "altair", "pymysql", "cryptography")
print(*(name for name in heavy if name in sys.modules), file=sys.stderr)
"""


def test_help_loads_no_room_that_works() -> None:
    done = subprocess.run([sys.executable, "-c", _LOADED, "--help"], capture_output=True, text=True, check=True)
    assert "commands" in done.stdout
    assert done.stderr.strip() == ""
