"""Explains where time goes: the rows that terminal, Markdown, page and programs share, and what lies beside a study."""
