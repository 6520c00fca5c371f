"""Kinetic separation lists: every contact of deforming meshes by events (Weller and Zachmann, sections 4 to 6).

Read `separation_list` (public), then `run` (Algorithm 1) and `pair_events` (sections 5.1 and 6.1). `interval` owns the tables,
`list_key_transition` and `interval_pass` carry the list over a key, `changes` follows changed flightplans, `audit` proves it.
"""
