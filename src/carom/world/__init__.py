"""A world: bodies, one clock, one log.

`world.World` is the public class, with every public method. It owns its parts and gives itself to them: none keeps the world,
so that no cycle of references keeps its tables, and none inherits from another. `bodies` are the rigid and polled ones,
`deforming` and `guided` hold those kinds, `deferral` follows what may come later. `broad_phase` and `clock` keep the engine and
the times right, `running` serves the event loop, `responding` and `log` its contacts, and `polling` asks polled bodies.

`body_rows` writes shapes and motions into the tables, `registry` maps ids to rows, `starts` reports overlaps at the start,
`budget` bounds the work of a call, `time_origin` keeps times local, and `saved` holds snapshots.
"""

from carom.engine.broad_phases import BROAD_PHASES
from carom.world.world import World

__all__ = ["BROAD_PHASES", "World"]
