"""The compiled event loops that drive a world.

`contract` says what a broad phase is given and must report, and `broad_phases` lists them all; `loop` makes their event loops,
and `events` holds what happens to bodies and pairs, whatever the broad phase.
"""
