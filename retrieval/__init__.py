"""Chunks, indexes, fusion, context policy, generations and configuration.

Knows nothing of the web or of where text came from.
"""
