"""Folders of dumps, read into the facts that the audit takes.

SHOW GLOBAL VARIABLES and STATUS in any form the clients print, option files, pt-mysql-summary, JSON; plain or gzip.
Judging them is left to `audit`.
"""

from dbdyno.dumps._tree import Dumps, UnreadableFile, read_dumps

__all__ = ["Dumps", "UnreadableFile", "read_dumps"]
