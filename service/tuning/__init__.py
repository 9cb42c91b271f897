"""Fitting the ranking to a wiki with the labels that it holds itself: link texts, headings, aliases.

labels ─> sample ─> disguise ─> trials ─> fit ─> floor, levels ─> tuning
"""
