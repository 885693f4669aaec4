"""What servers were told: option files. What they said of themselves, `dbdyno.engines` reads."""

from dbdyno.imports.settings._option_file import WrittenOption, read_option_file

__all__ = ["WrittenOption", "read_option_file"]
