"""Queries of pairs of shapes: against other libraries, by type of bounding volume, with and without coherence."""
