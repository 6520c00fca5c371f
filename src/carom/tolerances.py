"""Every tolerance, each with its unit, its usual value and what breaks without it.

Kernels freeze these at compile time; change one here and the kernel cache is renewed by itself.
"""

BOUND_PAD = 1e-9
"""Relative to a body's size. Kinetic bounds are this much larger than the body, so that two bounds surely overlap before
the bodies touch in spite of rounding. Too small: a pair becomes active after its own contact, and the log's order may
depend on the broad phase. Too large: only a few more pairs."""

BOUND_PAD_ULPS = 64.0
"""Units in the last place of the coordinate, added to BOUND_PAD: keeps the promise for small bodies far from the origin."""

LAZY_TEST_LEAD = 1e-9
"""Relative to the bounding radii. The exact test of a pair runs when its bounding spheres, enlarged by this much, touch."""

REBASE_AFTER = 65536.0
"""Seconds of local time after which the world moves its time origin. A double then still resolves 1.5e-11 s; without it
event times at t = 1e10 would be 2e-6 s apart and bodies would overlap by as much."""

REBOUND_SPEED = 1e-6
"""Relative to the speed gained by falling through one bounding radius under the pair's relative acceleration. An impact
slower than this under acceleration towards the contact leaves at this speed: a body at rest on a floor makes many tiny
hops instead of infinitely many events at one instant."""

COLLAPSE_TIME = 1e-6
"""Seconds. With restitution below 1 a body hit again within this time of its last contact bounces elastically (the TC
model of Luding and McNamara): without it inelastic collapse gives infinitely many contacts in finite time."""

FACING_PLANES = 1e-15
"""Cosine. Two half-spaces are separable only if their normals are opposite to this much; otherwise they always overlap."""

PARALLEL_AXIS = 1e-14
"""Sine. A half-space bounds an axis only if its normal lies along that axis to this much (what rounding leaves of an exact
rotation). Larger: a tilted floor would claim a bound it does not keep."""

BOUNDING_SPHERE_STEPS = 64
"""Steps of the search for a small bounding sphere: leaves it within a percent of the smallest."""

TREE_PAD = 1e-14
"""Relative to the coordinates of the triangles. Tree boxes are this much larger than their triangles, so that rounding
cannot leave a corner outside."""

SEPARATION_PAD = 1e-14
"""Relative to the reach of a pair test (offset, path and sizes). A gap below it counts as none: shapes without thickness,
such as two parallel triangles, touch only for an instant, which rounding would otherwise hide. A miss by less than
this is reported as a contact. Larger: a body that slides on a mesh catches on the edges between its triangles."""

TOUCH_DEPTH = 1e-9
"""Relative to the smaller body. Overlap up to this depth is a touch that rounding deepened: parting then along any of the
touching directions is parting. Too small: a body that just bounced is found inside the other. Too large: shallow
starting overlaps are judged by direction instead of depth."""

TOUCH_ULPS = 8.0
"""Units in the last place of the clock, times the relative speed, added to TOUCH_DEPTH: how deep fast bodies sink while
the clock rounds."""

NEUTRAL_RATE = 1e-12
"""Relative to the relative speed. A touching direction that opens more slowly than this is noise, such as at the sides of
two aligned boxes that meet face on, and does not count as parting."""

PARALLEL_PLANES = 1e-3
"""Sine. Triangles whose planes are closer to parallel than this are also tested along their edge normals in the plane:
cross products of their edges lose that much of their digits."""

SPHERE_FOOT = 1e-12
"""Relative to ball and triangle. A ball's centre may differ by this much from its radius off the triangle at a root of the
gap to one of its features, else the root belongs to another feature."""

ROOT_TOUCH = 8.9e-16
"""Relative to the sum of the absolute terms (four units in the last place). A polynomial whose extremum comes this close
to zero touches zero there, so that `earliest_root_*` finds double roots whose coefficients were rounded. Too small: a
touch is missed. Too large: a near miss counts as a touch. The `enter_*` functions need no tolerance."""

SUPPORT_SLACK = 1e-7
"""Relative to the size of a solid. When a search starts inside a solid, a later contact counts only if no corner of the
solid lies farther than this beyond the contact: otherwise it is a wall met from inside on the way out."""

FLAT_TRIANGLE = 1e-12
"""Height over longest side. A lower triangle has no normal worth the name and is tested as a segment."""

PARALLEL_EDGES = 1e-9
"""Sine. Touching edges closer to parallel than this share a stretch, whose middle is the contact point."""

PARALLEL_BOXES = 1e-14
"""Sine. The cross product of box edges closer to parallel is rounding only; leaving it out costs as much of the size."""

EPSILON = 2.0**-52
"""Spacing of doubles at 1."""

TINY = 1e-150
"""Lengths and speeds below it count as zero: their reciprocals, or products of these, could overflow."""

EIGEN_SHARE = 1e-30
"""Squares off the diagonal over squares on it, at which a covariance matrix counts as diagonal: rounding."""

CURLED_PATCH = 1e-9
"""Length of the summed normals over the summed areas of a patch of triangles. A patch below it has no mean normal."""

AXIS_SLACK = 7.0 * 2.0**-52
"""Relative to the coordinates along an axis. Two triangles count as apart along an axis only if they are by more than what
rounding can add to the projections, so that triangles that touch are never called apart."""

POSE_SLACK = 16.0 * 2.0**-52
"""Relative to the reach of a pair (shift and sizes). How far rounding may move a surface when it is placed in the frame of
the other: a smaller gap counts as a touch. Larger: near misses become hits. Smaller: touches are missed."""

STEEP_EDGES = 1e-3
"""Squared sine. Edges closer to parallel find their nearest points through cross products, which keep the digits that dot
products lose there."""

PARALLEL_SEGMENTS = 1e-28
"""Squared sine. Segments closer to parallel have no pair of nearest points of their own."""

SINGLE_EPSILON = 2.0**-23
"""Spacing of single-precision numbers at 1. Boxes rounded to them grow by a few of these, relative to their tree."""

WIDE_SLACK = 100.0 * 2.0**-24
"""Relative to the reach of a pair (shift and sizes). Length that every gap between boxes in single precision loses: more
than rounding can add to it (80 units, summed over the operations of a bound). It never decides an answer, only how many
triangles are looked at."""

WIDE_REACH = (1e-12, 1e16)
"""Metres. Pairs with a smaller or larger reach are searched in double precision: squares of lengths in single precision
would leave the range of its exponents."""

DISTANCE_TIE = 1.5e-13
"""Relative to the coordinates of two surfaces. A pair of triangles that can be nearer than the nearest found by no more than
this is not looked for: where many are equally near, as on parallel plates, boxes padded by TREE_PAD could discard none of
them. A distance may be too large by as much; whether surfaces touch does not depend on it."""
