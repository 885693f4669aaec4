"""dbdyno: the dynamometer for MySQL-compatible database engines."""

__version__ = "0.1.0"
