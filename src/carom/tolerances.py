"""All tolerances, each with its unit, its usual value and the consequences of a smaller or larger one.

Kernels freeze these values at compile time; a change here recompiles the kernels that use it.
"""

BOUND_PAD = 4e-9
"""Relative to a body's size. Kinetic bounds are this much larger than the body, so that two bounds certainly overlap before a
contact of the bodies is reported. It is several times ADVANCE_GAP, because a contact may be reported across that gap and one
of the bodies may be a half-space, which has no size. Too small: a pair becomes active after its own contact, and the log
depends on the broad phase. Too large: a few more pairs."""

BOUND_PAD_ULPS = 256.0
"""Units in the last place of the coordinates, added to BOUND_PAD for small bodies far from the origin. It exceeds
ADVANCE_ULPS for the same reason."""

LAZY_TEST_LEAD = 1e-9
"""Relative to the bounding radii. The exact test of a pair runs when its bounding spheres, enlarged by this much and by
BOUND_PAD_ULPS, touch."""

KEY_SLACK = 1e-12
"""Relative to the time between two keyframes. A contact that is due this much after a key, under the motion that ends there,
happens at the key: rounding must not lose the contact of a body that stops or turns back there. Larger: contacts that the new
motion avoids are reported."""

REBASE_AFTER = 65536.0
"""Seconds of local time after which the world moves its time origin. A double then still resolves 1.5e-11 s; otherwise event
times at t = 1e10 would be 2e-6 s apart and bodies would overlap by as much."""

REBOUND_SPEED = 3e-3
"""Relative to the speed gained by falling through one bounding radius under the pair's relative acceleration. A slower impact
under acceleration towards the contact leaves at this speed: a body at rest on a floor hops by 9e-6 of its radius, some
hundred to a thousand times per second, instead of infinitely often at one instant."""

ROLLING_SPEED = 1e-6
"""Relative to the speed of a pair. A slower contact of turning bodies is treated as rolling: it leaves as under an
acceleration towards the contact, at REBOUND_SPEED of the acceleration due to turning. Smaller: bodies that roll on one
another have millions of contacts per turn, or rounding hides their approach and they sink into each other. Larger: grazing
contacts gain energy."""

SPEED_NOISE = 16.0 * 2.0**-52
"""Relative to the velocities of a pair. A slower contact leaves at this speed: a change of velocity that is lost in rounding
would leave the bodies approaching, and in contact forever. Several times the rounding of the sum of a velocity and a
change."""

LARGEST_NUMBER = 1e30
"""Coordinates, speeds, accelerations, spins and sizes are between minus and plus this, in any unit. The exact tests multiply
up to six of them: larger ones would overflow, and a contact could be missed. Bodies may fly farther: in 65,536 s, or under an
acceleration, they reach 1e40, which the tests still support."""

SMALLEST_SIZE = 1e-30
"""Radii, heights, side lengths and the extents of meshes are at least this, in any unit: products of smaller ones would
underflow."""

LATEST_TIME = 1e15
"""Seconds. Times are between minus and plus this; a double resolves 0.125 s there."""

SAME_INSTANT = 1e-7
"""Relative to the clock. A world is stuck if 100,000 contacts, and 100 more per body, follow one another within this fraction
of the time that has passed: a body between immovable ones that approach each other has infinitely many contacts before they
meet. Too small: it is detected only after many millions of contacts. Too large: a gas whose first collisions come late could
be taken for such a body."""

COLLAPSE_TIME = 1e-6
"""Seconds. With restitution below 1 a body hit again within this time of its last contact bounces elastically (the TC model
of Luding and McNamara): otherwise inelastic collapse gives infinitely many contacts in finite time."""

FACING_PLANES = 1e-15
"""Cosine. Two half-spaces are separable only if their normals are opposite to this accuracy; otherwise they always
overlap."""

PARALLEL_AXIS = 1e-14
"""Sine. A half-space bounds an axis only if its normal is along that axis to this accuracy (the rounding of an exact
rotation). Larger: a tilted floor would have a wrong bound."""

BOUNDING_SPHERE_STEPS = 64
"""Steps of the search for a small bounding sphere, which is then within a percent of the smallest."""

TREE_PAD = 1e-14
"""Relative to the coordinates of the triangles. Tree boxes are this much larger than their triangles, so that rounding cannot
leave a corner outside."""

SEPARATION_PAD = 1e-14
"""Relative to the reach of a pair test (offset, path and sizes). A smaller gap counts as none: shapes without thickness, such
as two parallel triangles, touch only for an instant, which rounding would otherwise hide. A miss by less than this is
reported as a contact. Larger: a body that slides on a mesh catches on the edges between its triangles."""

TOUCH_DEPTH = 1e-9
"""Relative to the smaller body. Overlap up to this depth is a touch deepened by rounding: motion apart along any of the
touching directions then counts as separation. Too small: a body that just bounced is found inside the other. Too large:
shallow initial overlaps are classified by direction instead of depth."""

TOUCH_ULPS = 8.0
"""Units in the last place of the clock, times the relative speed, added to TOUCH_DEPTH: how deep fast bodies sink while
the clock rounds."""

NEUTRAL_RATE = 1e-12
"""Relative to the relative speed. A touching direction that opens more slowly than this is noise, as at the sides of two
aligned boxes that meet face on, and does not count as separation."""

PARALLEL_PLANES = 1e-3
"""Sine. Triangles whose planes are closer to parallel than this are also tested along their edge normals in the plane,
because cross products of their edges lose that fraction of their digits."""

SPHERE_FOOT = 1e-12
"""Relative to sphere and triangle. At a root of the gap to a feature the centre of the sphere may be off its radius from the
triangle by this much; otherwise the root belongs to another feature."""

ROOT_TOUCH = 8.9e-16
"""Relative to the sum of the absolute terms (four units in the last place). A polynomial whose extremum comes this close
to zero touches zero there, so that `earliest_root_*` finds double roots whose coefficients were rounded. Too small: a
touch is missed. Too large: a near miss counts as a touch. The `enter_*` functions need no tolerance."""

SUPPORT_SLACK = 1e-7
"""Relative to the size of a solid. If a search starts inside a solid, a later contact counts only if no corner of the solid
is farther than this beyond the contact: otherwise it is a wall met from inside on the way out."""

FLAT_TRIANGLE = 1e-12
"""Height over longest side. A flatter triangle has no meaningful normal and is tested as a segment."""

PARALLEL_EDGES = 1e-9
"""Sine. Touching edges closer to parallel than this share a stretch, whose middle is the contact point."""

PARALLEL_BOXES = 1e-14
"""Sine. The cross product of box edges closer to parallel is rounding only; leaving it out costs as much of the size."""

FAR_SQUARE = 4096.0
"""Squared distance of two centres, relative to the squared sum of their radii, above which the difference of the two is not
accurate enough for the time of a contact: it may be wrong by 1e-12 radii."""

EPSILON = 2.0**-52
"""Spacing of doubles at 1."""

TINY = 1e-150
"""Lengths and speeds below it count as zero: their reciprocals, or products of these, could overflow."""

EIGEN_SHARE = 1e-30
"""Squares off the diagonal over squares on it, below which a covariance matrix counts as diagonal: rounding."""

CURLED_PATCH = 1e-9
"""Length of the summed normals over the summed areas of a patch of triangles. A patch below it has no mean normal."""

RIGID_POSE = 1e-3
"""Entry of R minus that of the nearest rotation. A pose whose matrix R differs by more is refused as not rigid; otherwise the
nearest rotation is used. A matrix in single precision differs by 1e-7, one written with three decimals by up to 9e-4."""

EXACT_ROTATION = 1e-14
"""Entry of R'R - I. A rotation with smaller entries is used bit for bit: that is rounding in double precision."""

AXIS_SLACK = 7.0 * 2.0**-52
"""Relative to the coordinates along an axis. Two triangles are separate along an axis only by more than the rounding of the
projections, so that triangles that touch are never reported as separate."""

POSE_SLACK = 16.0 * 2.0**-52
"""Relative to the reach of a pair (shift and sizes). Rounding may move a surface by this much when it is placed in the frame
of the other: a smaller gap counts as a touch. Larger: near misses become hits. Smaller: touches are missed."""

SPHERE_TREE_SLACK = 1e-12
"""Relative to the reach of a pair (shift and sizes). Spheres of sphere-trees are enlarged by it: many times the effect of
rounding and of a rotation with errors of 1e-14, so that spheres always touch where triangles do. Smaller: a level of spheres
might miss a touch that the exact test finds."""

STEEP_EDGES = 1e-3
"""Squared sine. The nearest points of edges closer to parallel are computed with cross products, which keep the digits that
dot products lose there."""

PARALLEL_SEGMENTS = 1e-28
"""Squared sine. Segments closer to parallel have no pair of nearest points of their own."""

COPLANAR = 1e-13
"""Relative to the size of a hull. Neighbouring triangles within this height of one plane are one side: Qhull splits flat
sides, and the edge between two halves of a side is no feature. Larger: real edges vanish, and with them that much depth."""

GJK_GAP = 1e-12
"""Relative to the distance. The search for the distance of convex shapes ends when its bounds are this close."""

GJK_ROUNDING = 4.0 * EPSILON
"""Relative to the coordinates of a pair of convex shapes. The distance below which two shapes touch, and below which the side
of a plane on which a point lies is uncertain. Too small: rounding turns a touch into a gap. Too large: a gap is a touch."""

GJK_IDLE_STEPS = 12
"""Largest number of consecutive steps of a search without progress. Nearly parallel sides need some, because each step gains
less than rounding but turns the direction."""

GJK_STEPS = 128
"""Largest number of support points of one search. Flat-sided shapes take below 20, round ones up to 60."""

VOLUME_PAD = 5e-14
"""Relative to the largest coordinate inside a bounding volume. Volumes are this much larger than their triangles on every
side, which covers the rounding of the fit and, in a pair test, of the transformation of one volume into the frame of the
other."""

BOUND_SLACK = 1e-14
"""Relative to the gap between two bounding volumes. A bound is reduced by this much, for rounding that is proportional to the
distance and not to the volumes, so that no bound exceeds the true distance."""

HULL_GAP = 1e-9
"""Relative to the distance. The search for the best separating direction of two hulls stops when the bound is this near to
the distance of the hulls."""

HULL_STEPS = 32
"""Largest number of directions tried between two hulls; six are usual. The bound holds after any number of them."""

FLAT_SHELL = 256.0
"""Radius of the shell around a flat patch, relative to the size of the patch: gives a shell 1/512 of the patch thick. Larger:
thinner, but the distant centre costs digits."""

WIDE_SHELL = 0.995
"""Sine of the half-angle above which a shell is not cut to a cone: cones nearly as wide as a half-space have no further
use."""

SHELL_CURVATURE = 1e-12
"""Determinant of the spread of a patch over the cube of its mean. Below, the patch is flat: no sphere fits it."""

CORE_ADVANCE_STEPS = 20_000
"""Steps of advancement of two convex shapes, after which the search ends with the time reached: bodies that roll or slide
along each other for a long time. A usual flight takes 3 to 10."""

ESCAPE_ROUNDS = 32
"""Improvements of a separating translation; three or four are usual."""

ESCAPE_SLACK = 1e-12
"""Relative to the extent of a pair. A separating translation is this much longer than to the touch, so that it does
separate."""

SINGLE_EPSILON = 2.0**-23
"""Spacing of single-precision numbers at 1. Boxes rounded to them grow by a few of these, relative to their tree."""

WIDE_SLACK = 100.0 * 2.0**-24
"""Relative to the reach of a pair (shift and sizes). Length by which every gap between boxes in single precision is reduced:
more than its rounding (80 units, summed over the operations of a bound). It never decides an answer, only the number of
triangles that are tested."""

WIDE_REACH = (1e-12, 1e16)
"""Metres. Pairs with a smaller or larger reach are searched in double precision: squares of lengths in single precision
would leave the range of its exponents."""

ADVANCE_GAP = 1e-9
"""Relative to the smaller body. Turning bodies closer than this touch: their contact is reported this much early in distance,
never late. Smaller: more steps, and below 1e-13 rounding. Larger: earlier contacts, and more near misses count as touches."""

ADVANCE_ULPS = 128.0
"""Units in the last place of the pair's extent (offset and reach): lower limit of ADVANCE_GAP, for bodies that are far apart
or of very different size."""

PASS_ULPS = 16.0
"""Units in the last place of the distance of two bodies on straight paths: the rounding of the distance at which they pass,
if they are separating for good. Smaller: hits from very far away are missed."""

ADVANCE_STEPS = 400
"""Steps of advancement for one pair of triangles, after which the search ends with the time reached: a flight that stays
within a thousandth of the tolerance of a surface for a long time. A usual pair takes 1 to 10."""

SEARCH_WORK = 5_000_000
"""Steps of advancement and tests of boxes and triangles of one flight, together, after which a time of impact ends with an
error: some seconds. A usual flight takes 10 to 1,000; a body that turns above a floor without ever touching it takes some 50
per turn."""

REPEAT_SLACK = 1e-9
"""Relative. Motions that repeat are searched for one period and this much more."""

PARALLEL_EDGE_BOXES = 1e-5
"""Sine. Cross products of box edges closer to parallel than this are no axis for turning boxes: their gap would be rounding
divided by this."""

SPHERE_SLACK = 1e-9
"""Relative. Spheres that limit the time of a search are this much larger than the bodies, so that rounding cannot shorten
it."""

ARC_SLACK = 1e-9
"""Sine. A pair of edges counts as touching in a direction outside their arcs of normals by this much: rounding must not lose
the axis of least overlap; an additional axis only costs time."""

EPA_GAP = 1e-12
"""Relative to the depth. The search for the depth of two flat-sided shapes ends when its bounds are this close."""

EPA_ROUND_GAP = 1e-6
"""Relative to the depth, for curved surfaces: a smaller gap is not required, because each halving costs more than the one
before."""

EPA_POINTS = 400
"""Largest number of corners of the polytope that bounds a depth. Round shapes that overlap by the same depth in all
directions around an axis need them all and end with bounds about 1e-4 apart."""

EPA_FLAT = 1e-13
"""Relative to the coordinates. A difference of shapes thinner than this is flat: its depth is its thickness."""

AXES_MOST = 150
"""Number of pairs of edges up to which the depth of two flat-sided shapes is found by testing all axes; beyond, an expanding
polytope is faster (and all axes are tested only if it fails)."""

POLISH_OFFSET = 1e-3
"""Relative to the coordinates. Overlapping shapes are moved this far beyond contact to find their witness points."""

POLISH_STEPS = 16
"""Largest number of improvements of the axis of least overlap of round shapes; flat-sided ones need none."""

CLOSING_NOISE = 1e-9
"""Relative to the speed of a pair. Convex shapes that touch and approach more slowly than this are at rest against each
other, because the direction between them has no better accuracy."""

VORONOI_SLACK = 1e-12
"""Relative to the size of a pair of polyhedra, and a sine. A point outside the Voronoi region of a feature by less stays:
otherwise parallel edges and sides could exchange the closest pair forever."""

FEATURE_GAP = 1e-10
"""Relative to the distance. Closest features are accepted if the shapes are this close to the far sides of the two planes
through their nearest points; otherwise the distance is computed by GJK."""

DISTANCE_TIE = 1.5e-13
"""Relative to the coordinates of two surfaces. A pair of triangles that can be closer than the closest so far by at most this
is not searched: if many are equally close, as on parallel plates, boxes padded by TREE_PAD could exclude none of them. A
distance may be too large by as much; whether surfaces touch does not depend on it."""

CELL_SLACK = 1.0 / 64.0
"""Relative to a body's size. Cells of a kinetic grid are at least this much wider than the bodies in them, so that a body
that rounding leaves slightly outside its cell still finds all its neighbours. Too small: contacts are missed where a body
moves by more in one unit of the clock's last place. Too large: a few more neighbours."""

CERTIFICATE_SLACK = 64.0 * EPSILON
"""Relative to the coordinates of deforming meshes. Boxes of kinetic trees and separation lists are separate only by more than
this, and a vertex may be outside its box by as much: paths and event times are rounded, at worst once per level of the tree.
Too small: a contact at the border of two boxes could be missed. Larger: a few more overlapping boxes."""

FEATURE_TIME_GAP = 1e-9
"""Fraction of a step. A contact of a vertex and a face or of two edges is reported at most this much before its true time,
never after it. Smaller: more contacts are decided by exact integers. Whether there is a contact does not depend on it."""

FEATURE_SEPARATION_SLACK = 1e-6
"""Relative to a given separation. A vertex and a face, or two edges, count as that close when they are this much farther
apart. Smaller: more steps of advancement. Larger: pairs that stay slightly farther apart are reported."""

DEFORM_ADVANCE_STEPS = 1_000_000
"""Steps of advancement for one deforming triangle and one convex body, after which the time reached counts as their contact.
A usual pair takes 3 to 20, a triangle that slides along a body without approaching it 10,000 for each of its sizes."""

SHALLOW_TOUCH = 1e-6
"""Relative to the smaller of a deforming triangle and a rigid body. An overlap up to this depth is a touch: where they close,
it is a contact. From a deeper one they part silently until they are apart. Too small: a body that has bounced several times at
once, each time a little deeper, sinks in. Too large: shallow overlaps at the start end in bounces without end."""

PARTING_GAP = 1e-9
"""Relative to the size of two triangles. Features this close when a motion changes, which approached before and separate from
then on, have bounced: crossing the rounding gap between them while they separate is no contact."""

SIDED_GAP = 1e-6
"""Relative to the size of two triangles. A contact normal along which they overlap by more does not show on which sides of
each other they are: it is that of a feature that touches in addition. It far exceeds the effect of FEATURE_TIME_GAP and
rounding on a normal. Too large: a body that grazes an edge bounces off the wrong side of it."""

GUIDED_SLACK = 1e-9
"""Relative to the coordinates, distances and speeds of a guided body. A state that exceeds a limit by less satisfies it,
because limits and states are rounded. Too small: bounds expire without need. Too large: violations up to this size are not
detected."""

GUIDED_APART = 1e-6
"""Relative to the smaller body. A guided body and another one that are farther apart than this when a motion is reported are
separate: their next contact is reported again. It exceeds ADVANCE_GAP, across which contacts are reported. Too small: a
contact at a reported state is reported twice. Too large: a body that moves away by less and touches again is not reported."""

RIGHT_ANGLED_AXES = 16.0 * EPSILON
"""Three unit axes whose products differ from 0 and 1 by less are orthogonal. A cutting plane in their coordinates is then
wrong by less than BOUND_PAD_ULPS. Too large: a body may exceed its bound."""

PARALLEL_CUTS = 1e-18
"""Squared sine. Two planes closer to parallel than this have no line of intersection in the paper's test of cut space-time
bounds; such contacts are also found where another face crosses the plane."""

CROSSING_SLACK = 1e-12
"""Relative to the coordinates. Two boxes that begin to overlap on one axis are tested closely if they are this close on the
others: those that meet at an edge or a corner begin to overlap on two axes at once, in an order that depends on rounding."""

# ---- broad phases

SPHERE_LEAD = 1e-8
"""Relative to the radii. Bounding spheres that come this close within a frame may touch in spite of rounding. Smaller: a pair
might be left out. Larger: more pairs."""

PLACE_NOISE = 1e-13
"""Relative to coordinates and ways. Far more than rounding can move a sphere within a frame."""

PARTING_NOISE = 4.0 * EPSILON
"""Relative. Two ends of bounds whose speeds differ by less may stay as far apart as they are but for rounding."""

SURELY_LATER = 2.0 * (1.0 + 1e-9)
"""Twice, and more than what rounding takes from it: a contact is not before gap / (this approach), see the kinetic grid."""

SQUARE_SLACK = 1.0 + 1e-14
"""More than what rounding takes from the square of an approach, or adds to what it is compared with."""

CELL_LEAD = 1e-6
"""Cells. A body of a grid is looked at again this much before it can reach another cell: far more than rounding."""

LEVEL_SLACK = 1e-12
"""A level of a grid holds bounds that are wider than its cells by up to this share: far more than rounding, so that equal sizes
that were rounded differently share a level, and far less than CELL_SLACK, which makes up for it."""
