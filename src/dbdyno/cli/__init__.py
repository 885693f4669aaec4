"""The program `dbdyno`: one file a command."""

from dbdyno.cli._main import main

__all__ = ["main"]
