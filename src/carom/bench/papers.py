"""The claims of the papers, figure by figure, with the tables and pictures that reproduce them; and the comparisons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Exhibit:
    """One figure or statement of a paper, or one comparison, and its results in a report."""

    title: str
    says: str  # The paper's claim in a sentence, or what is compared
    bench: str  # Name of the bench
    tables: tuple[str, ...] = ()  # Names of its tables
    claims: tuple[str, ...] = ()  # Beginnings of its claims
    pictures: tuple[str, ...] = ()  # Files of its pictures


@dataclass(frozen=True)
class Paper:
    """One paper and its reproduced exhibits."""

    title: str
    citation: str
    exhibits: tuple[Exhibit, ...]


PAPERS: tuple[Paper, ...] = (
    Paper(
        "Kinetic sweep and prune",
        "D. Coming and O. Staadt, Kinetic sweep and prune for multi-body continuous motion, Computers & Graphics 30 (2006)",
        (
            Exhibit(
                "Figure 6: complex models",
                "100 models of over 6000 triangles each, over 600,000 in all: over 15 frames per second.",
                "ksp", ("ksp_figure6",), ("figure 6",),
            ),
            Exhibit(
                "Figure 7: number of bodies",
                "Kinetic sweep and prune has the lowest cost at every number of rings, follows the number of collisions, and "
                "allows nearly twice as many bodies in real time as sweep and prune over swept boxes.",
                "ksp", ("ksp_figure7",), ("swept over kinetic, rings",), ("ksp_figures_7_8.png",),
            ),
            Exhibit(
                "Figure 8: frequency",
                "The cost of updating and sorting swept boxes is proportional to the frequency; the kinetic lists "
                "only have the cost of the calls.",
                "ksp", ("ksp_figure8",), ("poll with nothing due",), ("ksp_figures_7_8.png",),
            ),
            Exhibit(
                "Narrow tests",
                "Kinetic boxes leave fewer pairs to the exact test: swept ones over 30 % more.",
                "ksp", ("ksp_tests",), ("narrow tests of swept",), ("ksp_counts.png",),
            ),
            Exhibit(
                "Event queue", "Swaps are kept in a pairing heap.", "ksp", ("ksp_queues", "ksp_swaps"),
                ("default queue over",), ("ksp_counts.png",),
            ),
        ),
    ),
    Paper(
        "Collision detection for real-time simulation",
        "E. Larsen, Collision detection for real-time simulation, slides, Sony Computer Entertainment America",
        (
            Exhibit(
                "GJK", "Between 3 and 6 iterations on average, whatever the size of the problem.",
                "queries", ("queries_gjk",), ("iterations of GJK",), ("queries_methods.png",),
            ),
            Exhibit(
                "Lin-Canny", "Starting from the last closest features: nearly constant time in simulations with coherence.",
                "queries", ("queries_lin_canny",), (), ("queries_methods.png",),
            ),
            Exhibit(
                "Kinds of bounding volume",
                "Oriented boxes converge faster than spheres and boxes along the axes, which in many experiments justifies "
                "their costlier test; among swept spheres, rectangles alone are as good as all kinds together.",
                "queries", ("queries_volume_build", "queries_volume_search"), (), ("queries_methods.png",),
            ),
            Exhibit(
                "Coherence",
                "The last frame's closest triangles, as a first estimate, speed up distance queries by a small factor.",
                "queries", ("queries_coherence",),
            ),
            Exhibit(
                "Grids and their hierarchy",
                "If sizes vary greatly no single cell size is suitable; grids at several resolutions are.",
                "broad", ("broad_hierarchy",), ("cells of several sizes",),
            ),
        ),
    ),
    Paper(
        "Collision detection for interactive graphics",
        "P. Hubbard, Collision detection for interactive graphics applications, IEEE Transactions on Visualization and "
        "Computer Graphics 1 (1995)",
        (
            Exhibit(
                "Figure 7: earliest intersection",
                "The projection method is faster than subdivision in all tests.",
                "hubbard", ("hubbard_earliest",), ("projection over subdivision", "neighbours first over"),
            ),
            Exhibit(
                "Figure 10: sphere-trees",
                "Spheres on the medial axis cover a lamp of 626 triangles; building the tree takes 12.4 minutes.",
                "hubbard", ("hubbard_trees",), ("medial-axis tree", "trees of which", "levels at which"),
            ),
            Exhibit(
                "Figures 11 and 12: space-time bounds",
                "Almost always faster than Turk's grid at every step; the majority of the frames cost almost nothing.",
                "hubbard", ("hubbard_first_collision", "hubbard_frame_times"),
                ("space-time bounds over", "the least of them"),
            ),
            Exhibit(
                "Figures 13 to 15: levels of the sphere-trees",
                "Speedup over BSP-trees at levels 1 to 4: 1049, 582, 243, 113; objects said to touch are at most 0.85, 0.39, "
                "0.15 and 0.06 of the lamp's radius apart.",
                "hubbard", ("hubbard_speed", "hubbard_bounds"), ("level ", "exact level over", "pair of spheres"),
            ),
            Exhibit(
                "Figures 16 and 17: a frame budget",
                "Turk's grid and BSP-trees almost always take over 5 s per frame; space-time bounds and sphere-trees keep to "
                "0.1 s at almost all frames.",
                "hubbard", ("hubbard_ships", "hubbard_crowd"),
                ("frames of eleven ships", "frames that end within", "a frame without the budget"),
            ),
        ),
    ),
    Paper(
        "Velocity-aligned polytopes",
        "D. Coming and O. Staadt, Velocity-aligned discrete oriented polytopes for dynamic collision detection, IEEE "
        "Transactions on Visualization and Computer Graphics 14 (2008)",
        (
            Exhibit(
                "Missed collisions",
                "A method that tests frames misses more collisions as bodies move faster.",
                "vadop", ("vadop_misses",),
            ),
            Exhibit(
                "Pairs left",
                "Axes perpendicular to the velocity leave fewer pairs than boxes and k-DOPs, in particular at high speeds.",
                "vadop", ("vadop_pruning_shown",), ("pairs left", "without shared axes"),
            ),
            Exhibit(
                "Time and memory",
                "Run time within a small constant factor of a method that tests frames; memory linear in bodies and axes.",
                "vadop", ("vadop_cost", "vadop_memory", "vadop_worst"), ("exponent of memory",),
            ),
        ),
    ),
    Paper(
        "Kinetic separation lists",
        "R. Weller and G. Zachmann, Kinetic separation lists for continuous collision detection of deformable objects, VRIPHYS "
        "(2006)",
        (
            Exhibit(
                "Figures 10 to 12: time from key to key",
                "Over swept volumes: a factor of 20 for a walking figure, 50 for a tablecloth, two for a whirled cloth.",
                "ksl", ("ksl_total",), ("chord front over swept", "separation list over swept"),
                ("ksl_figures_10_11_12.png",),
            ),
            Exhibit(
                "Figures 11 and 12, right: events",
                "About 500 events per frame against tens of thousands of checks of swept volumes, nearly linear in triangles.",
                "ksl", ("ksl_events",),
            ),
            Exhibit(
                "Figure 10, right: interpolated frames",
                "The time of an update falls with the number of frames between keys, since events depend on keys alone.",
                "ksl", ("ksl_frames",),
            ),
            Exhibit(
                "Changes of flightplans", "Only the events of what changed have to be computed again.",
                "ksl", ("ksl_local",), ("update of the list",), ("ksl_local.png",),
            ),
        ),
    ),
)  # fmt: skip
"""The five papers, in the order of the report."""

PEERS: tuple[Exhibit, ...] = (
    Exhibit(
        "A thousand rings at 1000 Hz", "python-fcl, coal and rapier3d on the same paths.",
        "peers-rings", ("peers_rings", "peers_check"), ("rings, N",), ("peers_rings.png",),
    ),
    Exhibit(
        "Pairs of shapes at rest", "python-fcl and coal on the same poses.", "queries", ("queries_still",),
        ("collide,", "distance,", "distance apart"), ("queries_peers.png",),
    ),
    Exhibit(
        "Pairs of shapes in motion", "rapier3d's casts on the same motions.", "queries", ("queries_moving",),
        ("time of impact",), ("queries_peers.png",),
    ),
    Exhibit(
        "Pairs of boxes", "coal's and warp's trees, ipctk's broad phases, on the same boxes.", "broad", ("broad_boxes",),
        ("box_pairs over",),
    ),
    Exhibit(
        "Deforming meshes", "ipctk's earliest contact on the same keys.", "ksl", ("ksl_total",),
        ("chord front over ipctk",),
    ),
    Exhibit(
        "Vertex against face, edge against edge", "ipctk's Tight-Inclusion on published degenerate queries and on cloth.",
        "ksl", ("ksl_features",), ("vertex-face and edge-edge", "the slowest", "wrong answers"),
    ),
)  # fmt: skip
"""The comparisons with other libraries."""
