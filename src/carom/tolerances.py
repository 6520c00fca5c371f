"""Every tolerance, each with its unit, its usual value and what breaks without it.

Kernels freeze these at compile time; change one here and the kernel cache is renewed by itself.
"""

BOUND_PAD = 4e-9
"""Relative to a body's size. Kinetic bounds are this much larger than the body, so that two bounds surely overlap before
a contact of the bodies is reported. It is several times ADVANCE_GAP, because a contact may be reported across that gap and one
of the two bodies may be a half-space, which has no size. Too small: a pair becomes active after its own contact, and the log
depends on the broad phase. Too large: only a few more pairs."""

BOUND_PAD_ULPS = 256.0
"""Units in the last place of the coordinates, added to BOUND_PAD: keeps the promise for small bodies far from the origin. It
exceeds ADVANCE_ULPS for the same reason."""

LAZY_TEST_LEAD = 1e-9
"""Relative to the bounding radii. The exact test of a pair runs when its bounding spheres, enlarged by this much and by
BOUND_PAD_ULPS, touch."""

KEY_SLACK = 1e-12
"""Relative to the time between two keyframes. A contact that is due this much after a key, under the motion that ends there,
happens at the key: rounding must not lose the touch of a body that stops or turns back there. Larger: contacts that the new
motion avoids are reported."""

REBASE_AFTER = 65536.0
"""Seconds of local time after which the world moves its time origin. A double then still resolves 1.5e-11 s; without it
event times at t = 1e10 would be 2e-6 s apart and bodies would overlap by as much."""

REBOUND_SPEED = 3e-3
"""Relative to the speed gained by falling through one bounding radius under the pair's relative acceleration. An impact
slower than this under acceleration towards the contact leaves at this speed: a body at rest on a floor hops by 9e-6 of its
radius, some hundred to a thousand times a second, instead of infinitely often at one instant."""

ROLLING_SPEED = 1e-6
"""Relative to the speed of a pair. A contact of turning bodies slower than this is taken for one that rolls: it leaves as under
an acceleration towards the contact, at REBOUND_SPEED of what turning accelerates it. Smaller: bodies that roll on one another
have millions of contacts per turn, or rounding says that they part and they sink into each other. Larger: grazing contacts
gain energy."""

SPEED_NOISE = 16.0 * 2.0**-52
"""Relative to the velocities of a pair. A contact slower than this leaves at this speed: a change of velocity that rounding
swallows would leave the bodies closing, and in contact for ever. Several times what the sum of a velocity and a change can
lose."""

LARGEST_NUMBER = 1e30
"""Coordinates, speeds, accelerations, spins and sizes are between minus and plus this, in any unit. The exact tests multiply up
to six of them: larger ones would overflow, and a contact could be missed. Bodies may fly farther: in 65,536 s, or under an
acceleration, they come to 1e40, which the tests still bear."""

SMALLEST_SIZE = 1e-30
"""Radii, heights, side lengths and the extents of meshes are at least this, in any unit: products of smaller ones would
underflow."""

LATEST_TIME = 1e15
"""Seconds. Times are between minus and plus this; a double resolves 0.125 s there, and less beyond."""

SAME_INSTANT = 1e-7
"""Relative to the clock. A world is called stuck where 100,000 contacts, and 100 more per body, follow one another within this
share of the time that has passed: a body between immovable ones that close in on it has infinitely many contacts before they
meet. Too small: it is noticed only after many millions of contacts. Too large: a gas that begins to collide only after a long
silence could be taken for a body that is wedged."""

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

FAR_SQUARE = 4096.0
"""Squared distance of two centres, in units of the squared sum of their radii, from which on the difference of the two is no
longer accurate enough for the time of a contact: it may be wrong by 1e-12 radii."""

EPSILON = 2.0**-52
"""Spacing of doubles at 1."""

TINY = 1e-150
"""Lengths and speeds below it count as zero: their reciprocals, or products of these, could overflow."""

EIGEN_SHARE = 1e-30
"""Squares off the diagonal over squares on it, at which a covariance matrix counts as diagonal: rounding."""

CURLED_PATCH = 1e-9
"""Length of the summed normals over the summed areas of a patch of triangles. A patch below it has no mean normal."""

RIGID_POSE = 1e-3
"""Entry of R less that of the nearest rotation. A pose whose matrix R is off by more is refused as not rigid; below, the
nearest rotation is taken. A matrix kept in single precision is off by 1e-7, one written with three decimals by up to 9e-4."""

EXACT_ROTATION = 1e-14
"""Entry of R'R - I. A rotation that is off by no more is taken as it is, bit for bit: that is rounding in double precision."""

AXIS_SLACK = 7.0 * 2.0**-52
"""Relative to the coordinates along an axis. Two triangles count as apart along an axis only if they are by more than what
rounding can add to the projections, so that triangles that touch are never called apart."""

POSE_SLACK = 16.0 * 2.0**-52
"""Relative to the reach of a pair (shift and sizes). How far rounding may move a surface when it is placed in the frame of
the other: a smaller gap counts as a touch. Larger: near misses become hits. Smaller: touches are missed."""

SPHERE_TREE_SLACK = 1e-12
"""Relative to the reach of a pair (shift and sizes). Spheres of sphere-trees count as larger by it: many times what rounding,
and a rotation that is off by 1e-14, move a surface, so that spheres always touch where triangles do. Smaller: a level of
spheres might miss a touch that the exact test finds."""

STEEP_EDGES = 1e-3
"""Squared sine. Edges closer to parallel find their nearest points through cross products, which keep the digits that dot
products lose there."""

PARALLEL_SEGMENTS = 1e-28
"""Squared sine. Segments closer to parallel have no pair of nearest points of their own."""

COPLANAR = 1e-13
"""Relative to the size of a hull. Neighbouring triangles within this height of one plane are one side: Qhull splits flat
sides, and the edge between two halves of a side is no feature. Larger: real edges vanish, and with them that much depth."""

GJK_GAP = 1e-12
"""Relative to the distance. The search for the distance of convex shapes ends when its bounds are this close."""

GJK_ROUNDING = 4.0 * EPSILON
"""Relative to the coordinates of a pair of convex shapes. The distance below which two shapes touch, and below which it is in
doubt on which side of a plane a point is. Too small: rounding turns a touch into a gap. Too large: a gap is a touch."""

GJK_IDLE_STEPS = 12
"""Most steps in a row of one search that come no nearer. Nearly parallel sides need some, as each step gains less than
rounding but turns the direction."""

GJK_STEPS = 128
"""Most support points of one search. Flat-sided shapes take below 20, round ones up to 60."""

VOLUME_PAD = 5e-14
"""Relative to the largest coordinate inside a bounding volume. Volumes are this much larger than their triangles on every
side, which covers the rounding of the fit and, in a pair test, of moving one volume into the frame of the other."""

BOUND_SLACK = 1e-14
"""Relative to the gap between two bounding volumes. A bound is lowered by this much: rounding that grows with the distance
and not with the volumes, so that no bound is above the true distance."""

HULL_GAP = 1e-9
"""Relative to the distance. The search for the best separating direction of two hulls stops when the bound is this near to
the distance of the hulls."""

HULL_STEPS = 32
"""Directions tried between two hulls, at most; six are usual. The bound holds after any number of them."""

FLAT_SHELL = 256.0
"""Radius of the shell around a flat patch, relative to the size of the patch: leaves a shell 1/512 of the patch thick. Larger:
thinner, but the far centre costs digits."""

WIDE_SHELL = 0.995
"""Sine of the half-angle above which a shell is not cut to a cone: cones nearly as wide as a half-space hold no more."""

SHELL_CURVATURE = 1e-12
"""Determinant of the spread of a patch over the cube of its mean. Below, the patch is flat: no sphere fits it."""

CORE_ADVANCE_STEPS = 20_000
"""Steps of advancement of two convex shapes, after which the search stops and says how far it got: bodies that roll or slide
along each other for long. A usual flight takes 3 to 10."""

ESCAPE_ROUNDS = 32
"""Improvements of a separating translation: each shortens it, three or four are usual."""

ESCAPE_SLACK = 1e-12
"""Relative to the extent of a pair. A separating translation goes this much beyond the touch, so that it does separate."""

SINGLE_EPSILON = 2.0**-23
"""Spacing of single-precision numbers at 1. Boxes rounded to them grow by a few of these, relative to their tree."""

WIDE_SLACK = 100.0 * 2.0**-24
"""Relative to the reach of a pair (shift and sizes). Length that every gap between boxes in single precision loses: more
than rounding can add to it (80 units, summed over the operations of a bound). It never decides an answer, only how many
triangles are looked at."""

WIDE_REACH = (1e-12, 1e16)
"""Metres. Pairs with a smaller or larger reach are searched in double precision: squares of lengths in single precision
would leave the range of its exponents."""

ADVANCE_GAP = 1e-9
"""Relative to the smaller body. Turning bodies as near as this touch: their contact is reported this much early in distance,
never late. Smaller: more steps, and below 1e-13 rounding. Larger: earlier contacts, and more near misses count as touches."""

ADVANCE_ULPS = 128.0
"""Units in the last place of the pair's extent (offset and reach): the least gap of ADVANCE_GAP, where bodies are far apart
or of very different size."""

PASS_ULPS = 16.0
"""Units in the last place of the distance of two bodies on straight paths: what rounding may add to the distance at which they
pass, where they are apart for good. Smaller: hits from very far away are missed."""

ADVANCE_STEPS = 400
"""Steps of advancement for one pair of triangles, after which the search stops and says how far it got: a flight that
stays within a thousandth of the tolerance of a surface for long. A usual pair takes 1 to 10."""

SEARCH_WORK = 5_000_000
"""Steps of advancement and tests of boxes and triangles of one flight, together, after which a time of impact is given up with
an error: some seconds. A usual flight takes 10 to 1,000; a body that turns above a floor without ever touching it takes some
50 per turn."""

REPEAT_SLACK = 1e-9
"""Relative. Motions that repeat are searched for one period and this much more."""

PARALLEL_EDGE_BOXES = 1e-5
"""Sine. Cross products of box edges closer to parallel than this are no axis for turning boxes: their gap would be rounding
divided by this."""

SPHERE_SLACK = 1e-9
"""Relative. Spheres that limit the time of a search are this much larger than the bodies, so that rounding cannot cut it."""

ARC_SLACK = 1e-9
"""Sine. A pair of edges counts as touching in a direction that lies outside their arcs of normals by this much: rounding
must not lose the axis of least overlap; an axis too many costs only time."""

EPA_GAP = 1e-12
"""Relative to the depth. The search for the depth of two flat-sided shapes ends when its bounds are this close."""

EPA_ROUND_GAP = 1e-6
"""Relative to the depth, for curved surfaces: the bounds need not come closer, as each halving of this costs
more than the one before."""

EPA_POINTS = 400
"""Most corners of the polytope by which a depth is bounded. Round shapes that overlap by the same depth in all directions
around an axis need them all and end with bounds about 1e-4 apart."""

EPA_FLAT = 1e-13
"""Relative to the coordinates. A difference of shapes thinner than this is flat: its depth is its thickness."""

AXES_MOST = 150
"""Pairs of edges up to which the depth of two flat-sided shapes is found by trying all axes; beyond, an expanding polytope is
faster (and all axes are tried only where it fails)."""

POLISH_OFFSET = 1e-3
"""Relative to the coordinates. Overlapping shapes are moved this far beyond contact to find their witness points."""

POLISH_STEPS = 16
"""Most improvements of the axis of least overlap of round shapes; flat-sided ones need none."""

CLOSING_NOISE = 1e-9
"""Relative to the speed of a pair. Convex shapes that touch and close more slowly than this rest against each other: the
direction between them is known no better."""

VORONOI_SLACK = 1e-12
"""Relative to the size of a pair of polyhedra, and a sine. A point that leaves the Voronoi region of a feature by less stays:
without it, parallel edges and sides would pass the closest pair back and forth for ever."""

FEATURE_GAP = 1e-10
"""Relative to the distance. Closest features are believed if the shapes lie this close to the far sides of the two planes
through their nearest points; otherwise the distance is found by GJK."""

DISTANCE_TIE = 1.5e-13
"""Relative to the coordinates of two surfaces. A pair of triangles that can be nearer than the nearest found by no more than
this is not looked for: where many are equally near, as on parallel plates, boxes padded by TREE_PAD could discard none of
them. A distance may be too large by as much; whether surfaces touch does not depend on it."""

CELL_SLACK = 1.0 / 64.0
"""Relative to a body's size. Cells of a kinetic grid are at least this much wider than the bodies in them, so that a body
that rounding leaves a little beside its cell still finds all its neighbours. Too small: contacts are missed where a body
moves by more in one unit of the clock's last place. Too large: only a few more neighbours."""

CERTIFICATE_SLACK = 64.0 * EPSILON
"""Relative to the coordinates of deforming meshes. Boxes of kinetic trees and separation lists count as apart only by more than
this, and a vertex may stick out of its box by as much: paths and event times are rounded, once a level of the tree at
worst. Too small: a contact at the border of two boxes could be missed. Larger: a few more overlapping boxes."""

FEATURE_TIME_GAP = 1e-9
"""Share of a step. A contact of a vertex and a face or of two edges is reported at most this much before its true time,
never after it. Smaller: more contacts are left to exact integers. Whether there is a contact does not depend on it."""

FEATURE_SEPARATION_SLACK = 1e-6
"""Relative to a separation asked for. A vertex and a face, or two edges, count as that near when they are this much farther
apart. Smaller: more steps of advancement. Larger: pairs that stay a little farther apart are reported."""

DEFORM_ADVANCE_STEPS = 1_000_000
"""Steps of advancement for one deforming triangle and one convex body; the time reached then stands as their contact. A usual
pair takes 3 to 20, a triangle that slides along a body without coming closer 10,000 for each of its sizes."""

PARTING_GAP = 1e-9
"""Relative to the size of two triangles. Features as near as this when a motion changes, which came together before and part
from then on, have bounced: going apart through what rounding left between them is no contact."""

SIDED_GAP = 1e-6
"""Relative to the size of two triangles. A contact's normal along which they overlap by more does not tell on which side of
each other they are: it is that of a feature that touches besides. It far exceeds what FEATURE_TIME_GAP and rounding turn a
normal by. Too large: a body that grazes an edge bounces off the wrong side of it."""

GUIDED_SLACK = 1e-9
"""Relative to the coordinates, distances and speeds of a guided body. A state that exceeds a limit by less keeps it: limits and
states are rounded. Too small: bounds expire for nothing. Too large: only that much of a breach goes unnoticed."""

GUIDED_APART = 1e-6
"""Relative to the smaller body. A guided body and another one that are farther from each other than this when a motion is
told are apart: their next contact is reported again. It exceeds ADVANCE_GAP, across which contacts are reported. Too small: a
contact at which a body is told to be is reported twice. Too large: a body that leaves another by less and touches it again is
silent."""

RIGHT_ANGLED_AXES = 16.0 * EPSILON
"""Three unit axes whose products differ from 0 and 1 by less are at right angles. A cutting plane told in their coordinates is
then wrong by less than BOUND_PAD_ULPS. Too large: a body may stick out of its bound."""

PARALLEL_CUTS = 1e-18
"""Squared sine. Two planes closer to parallel than this have no line of crossing in the paper's test of cut space-time bounds;
what meets there also meets where another face crosses the plane."""

CROSSING_SLACK = 1e-12
"""Relative to the coordinates. Two boxes that begin to overlap on one axis are looked at closely if they are this near on the
others: those that meet at an edge or a corner begin to overlap on two axes at once, in an order that rounding decides."""
