"""A machine looked at before a study: /proc, /sys, a few system calls and one second of patience. Changes nothing."""

from dbdyno.hosts.machine._machine import read_machine

__all__ = ["read_machine"]
