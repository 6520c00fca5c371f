"""Every contact of a whirled cloth with itself, drawn at its first moment.

    python examples/cloth_contacts.py [--faces 2000] [--keys 30] [--picture cloth_contacts.png]

A picture needs `pip install carom[plot]`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import carom
from carom.scenes import animation
from carom.view import draw_check


def main() -> None:
    """Run, print, draw."""
    options = argparse.ArgumentParser(description="Contacts of a cloth with itself.")
    options.add_argument("--faces", type=int, default=2000)
    options.add_argument("--keys", type=int, default=30)
    options.add_argument("--picture", type=Path, default=Path("cloth_contacts.png"))
    asked = options.parse_args()
    cloth = animation("swirl", faces=asked.faces, keys=asked.keys)[0]
    found = carom.self_contacts(cloth)
    kinds = {name: int(np.sum(found.kinds == k)) for k, name in enumerate(("vertex-face", "face-vertex", "edge-edge"))}
    print(f"{len(cloth.faces)} triangles, {len(cloth.times)} keys: {len(found)} contacts, {kinds}")
    print(f"{found.stats.feature_tests:,} features tested, {found.stats.exact_tests} of them decided by integers")
    title = f"A cloth of {len(cloth.faces):,} triangles meets itself {len(found):,} times"
    draw_check(asked.picture, [cloth], found, title, float(cloth.times[-1]))
    print(f"picture: {asked.picture}")


if __name__ == "__main__":
    main()
