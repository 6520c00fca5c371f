"""Kinetic AABB trees: boxes over a deforming mesh that are valid at every instant (Zachmann and Weller).

Read `kinetic_tree` (public) first. `interval` owns the tables, `events` makes and repairs certificates, `future_certificates`
searches for failures through later keys (Algorithm 2 of the separation-list paper), `edits` adds and removes leaves, `audit`
proves a tree by brute force.
"""
