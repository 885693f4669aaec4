"""What servers were told and what they said of themselves: dumps of variables and status, option files."""

from dbdyno.imports.settings._dump import Dump, read_dump
from dbdyno.imports.settings._option_file import WrittenOption, read_option_file

__all__ = ["Dump", "WrittenOption", "read_dump", "read_option_file"]
