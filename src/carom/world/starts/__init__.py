"""Overlaps at the time at which bodies are added, or at which a motion begins."""
