"""Reads folders of dumps into the facts that the audit takes.

SHOW GLOBAL VARIABLES and STATUS in any form the clients print, option files, pt-mysql-summary, JSON; plain or gzip.
The rules in `audit` judge them.
"""

from dbdyno.audit.dumps._tree import Dumps, UnreadableFile, read_dumps

__all__ = ["Dumps", "UnreadableFile", "read_dumps"]
