"""Timing and quality figures, made by commands that anyone can run."""
