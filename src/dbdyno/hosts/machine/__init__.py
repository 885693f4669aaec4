"""Reads the state of a machine before a study: /proc, /sys, a few system calls, one second. Changes nothing."""

from dbdyno.hosts.machine._machine import read_machine, read_profiler

__all__ = ["read_machine", "read_profiler"]
