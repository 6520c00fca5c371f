"""A world: bodies, one clock, one log.

`world.World` is the public class. `body_rows` writes shapes and motions into the tables, `registry` maps ids to rows, `starts`
reports overlaps at the start, `polling` asks polled bodies, `deferral` and `budget` bound the work of a call, and `time_origin`
keeps times local. `deforming` and `guided` hold those kinds of bodies, `saved` snapshots.
"""

from carom.engine.broad_phase_choice import BROAD_PHASES
from carom.world.world import World

__all__ = ["BROAD_PHASES", "World"]
