"""Kinetic separation lists: every contact of deforming meshes by events (Weller and Zachmann, sections 4 to 6).

Read `separation_list` (public; it reports `contacts`), then `run` (Algorithm 1) and `pair_events` (sections 5.1 and 6.1).
`interval` owns the tables, `exact_contacts` decides what the filter leaves open, `list_key_transition` and `interval_pass`
carry the list over a key, `changes` follows changed flightplans, `audit` proves the list.
"""
