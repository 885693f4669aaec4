"""Compares two results folders: changes, mismatches, limitations, the rules of a build, and how they are shown."""
