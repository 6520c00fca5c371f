"""Broad phases against each other: cost by number of bodies, packing, sizes and motion."""
