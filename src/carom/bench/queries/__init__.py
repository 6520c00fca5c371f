"""Queries of pairs of shapes: beside other libraries, by type of bounding volume, with and without coherence."""
