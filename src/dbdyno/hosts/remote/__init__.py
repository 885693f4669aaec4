"""Reaches a machine by SSH: commands, files, processes and clocks there answer as those of this machine do.

`connect` pushes ``dbdyno-load`` to the host, verifies it and starts it as an agent through the system's ``ssh``, with
the user's configuration. What is asked of the host goes as frames over that connection. A lost connection is made
again, and nothing is done twice; see docs/guides/remote-host.md.
"""

from dbdyno.hosts.remote._agents import RemoteAgent
from dbdyno.hosts.remote._clock import ClockMap, Exchange
from dbdyno.hosts.remote._host import RemoteHost, connect
from dbdyno.hosts.remote._program import OldProgram, find_old_programs
from dbdyno.hosts.remote._ssh import SSH_VARIABLE, ssh_variables

__all__ = [
    "SSH_VARIABLE",
    "ClockMap",
    "Exchange",
    "OldProgram",
    "RemoteAgent",
    "RemoteHost",
    "connect",
    "find_old_programs",
    "ssh_variables",
]
