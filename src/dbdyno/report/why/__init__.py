"""Explains where time goes: rows for terminal, Markdown, page and programs, and what lies next to a study."""
