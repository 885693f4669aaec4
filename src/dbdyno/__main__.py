"""Runs the command as ``python -m dbdyno``."""

import sys

from dbdyno.cli import main

if __name__ == "__main__":
    sys.exit(main())
