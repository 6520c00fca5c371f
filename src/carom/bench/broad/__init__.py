"""Comparison of broad phases: cost by number of bodies, packing, sizes and motion."""
