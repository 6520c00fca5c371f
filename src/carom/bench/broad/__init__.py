"""Broad phases alone, against other libraries."""
