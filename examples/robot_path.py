"""Is the path of a robot arm free? First contact of every link with every obstacle, and the clearance over time.

    python examples/robot_path.py [--keys 401] [--picture robot_path.png]

A planar arm of three links swings past a post and a shelf. A picture needs `pip install carom[plot]`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import carom

LENGTHS = np.array([1.0, 0.8, 0.5])
RADIUS = 0.06
WAYPOINTS = np.radians([(110, -30, -20), (40, 20, 10), (-40, 30, 40)])
WAYPOINT_TIMES = (0.0, 2.0, 4.0)
OBSTACLES = {
    "post": (carom.Cylinder(0.1, 2.0), carom.Motion((1.9, 0.35, 0))),
    "shelf": (carom.Box((1.0, 0.1, 1.0)), carom.Motion((1.2, -1.1, 0))),
}


def arm(keys: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Times (n,), joints of the arm in the plane (n, 4, 2), link angles (n, 3), and how far the keys may be from the arcs."""
    times = np.linspace(WAYPOINT_TIMES[0], WAYPOINT_TIMES[-1], keys)
    joints = np.stack([np.interp(times, WAYPOINT_TIMES, each) for each in WAYPOINTS.T], axis=1)
    angles = np.cumsum(joints, axis=1)
    bones = LENGTHS[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    corners = np.concatenate([np.zeros((keys, 1, 2)), np.cumsum(bones, axis=1)], axis=1)
    turned = np.abs(np.diff(joints, axis=0)).sum(axis=1).max()
    return times, corners, angles, float(LENGTHS.sum() * turned**2 / 8)


def main() -> None:
    """Run, print, draw."""
    options = argparse.ArgumentParser(description="Check the path of a robot arm.")
    options.add_argument("--keys", type=int, default=401)
    options.add_argument("--picture", type=Path, default=Path("robot_path.png"))
    asked = options.parse_args()
    times, corners, angles, slack = arm(asked.keys)
    middles = np.concatenate([(corners[:, 1:] + corners[:, :-1]) / 2, np.zeros((len(times), 3, 1))], axis=-1)
    c, s = np.cos(angles / 2) / np.sqrt(2), np.sin(angles / 2) / np.sqrt(2)
    turns = np.stack([c, -s, c, s], axis=-1)  # a capsule lies along z: laid down, then turned about z

    world = carom.World()
    world.set_filter(1, 1, False)  # links do not collide with each other
    links = [carom.Capsule(RADIUS + slack, length) for length in LENGTHS]
    motions = [carom.Keyframes(times, middles[:, k], turns[:, k]) for k in range(3)]
    for k, (link, motion) in enumerate(zip(links, motions, strict=True)):
        world.add(link, motion, name=f"link {k + 1}", group=1)
    for name, (shape, motion) in OBSTACLES.items():
        world.add(shape, motion, name=name)
    first: dict[tuple[int, int], carom.Contact] = {}
    for contact in world.advance(times[-1]):
        first.setdefault((contact.a, contact.b), contact)
    for (a, b), contact in first.items():
        print(f"{world.name(a)} meets the {world.name(b)} at t = {contact.time:.6f} s, {contact.point.round(3)}")

    clearance = {}
    for name, (shape, motion) in OBSTACLES.items():
        nearest = np.full(len(times), np.inf)
        for link, path in zip(links, motions, strict=True):
            poses = np.stack([piece.pose_at(t) for piece, t in zip(path.pieces(), times, strict=True)])
            nearest = np.minimum(nearest, carom.distance(link, shape, poses, motion.pose_at(0.0)).distance)
        clearance[name] = nearest
        print(f"nearest to the {name}: {nearest.min():.4f} m at t = {times[nearest.argmin()]:.3f} s")
    draw(asked.picture, times, corners, list(first.values()), clearance)
    print(f"picture: {asked.picture}")


def draw(
    picture: Path,
    times: np.ndarray,
    corners: np.ndarray,
    contacts: list[carom.Contact],
    clearance: dict[str, np.ndarray],
) -> None:
    """The arm on its way from above, and its clearance over time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Circle, Rectangle

    figure, (plan, room) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained", width_ratios=(1, 1.1))
    hit = int(np.searchsorted(times, contacts[0].time)) if contacts else None
    for k in range(0, len(times), max(len(times) // 24, 1)):
        late = hit is not None and k > hit
        plan.plot(*corners[k].T, color="#d9a0a0" if late else "0.75", linewidth=1.5, zorder=1)
    if hit is not None:
        plan.plot(*corners[hit].T, "o-", color="C0", linewidth=6, markersize=5, solid_capstyle="round", zorder=3)
        plan.plot(*contacts[0].point[:2], "*", color="C3", markersize=18, zorder=4)
    plan.add_patch(Circle((1.9, 0.35), 0.1, color="C1", zorder=2))
    plan.add_patch(Rectangle((0.7, -1.15), 1.0, 0.1, color="C2", zorder=2))
    plan.annotate("post", (2.02, 0.42), color="C1")
    plan.annotate("shelf", (1.05, -1.3), color="C2")
    plan.set(aspect="equal", xlabel="x (m)", ylabel="y (m)", title="The arm at its first contact; red: what follows")
    for (name, metres), colour in zip(clearance.items(), ("C1", "C2"), strict=True):
        room.plot(times, metres, color=colour, label=name)
    for contact in contacts:
        room.axvline(contact.time, color="C3", linewidth=1)
        room.annotate(
            f" first contact\n {contact.time:.6f} s", (contact.time, 0.9 * room.get_ylim()[1]), color="C3", va="top"
        )
    room.set(xlabel="time (s)", ylabel="clearance (m)", title="Distance of the arm to the obstacles", ylim=(0, None))
    room.legend(loc="lower left")
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
