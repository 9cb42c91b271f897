"""Measuring retrieval on a set of queries with judgments.

    folder ─> dataset ─> runs × queries ─> measures ─> report ─> table, JSON, run files, gate

Nothing here opens an index: ranking and answering are functions that the caller gives.
"""
