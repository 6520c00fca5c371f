"""Broad phases: which pairs may touch."""
