"""Equation of state of hard spheres: measured pressure against Carnahan and Starling's formula and the virial series.

    python examples/equation_of_state.py [--spheres 2000] [--contacts 500000] [--picture equation_of_state.png]

The spheres live in a periodic box, so that no wall disturbs them. A picture needs `pip install carom[plot]`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import carom
from carom.physics import GasMeter, GasReport, carnahan_starling, virial_series
from carom.scenes import scene

PACKINGS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45)


def measure(spheres: int, packing: float, contacts: int) -> GasReport:
    """Let a gas settle for a fifth of the contacts, then measure it over the rest."""
    world = scene("gas", objects=spheres, packing=packing, periodic=1, seed=1).build()
    seen = 0
    while seen < contacts // 5:
        seen += len(world.advance(world.time + 0.5))
    meter = GasMeter(world)
    while seen < contacts:
        log = world.advance(world.time + 0.5)
        meter.add(log)
        seen += len(log)
    return meter.report()


def draw(reports: list[GasReport], picture: Path) -> None:
    """Compressibility over packing, and how far it is from the formula."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    packing = np.linspace(0.0, 0.47, 200)
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 6), height_ratios=(3, 1), layout="constrained")
    above.plot(packing, [carnahan_starling(float(p)) for p in packing], color="0.4", label="Carnahan-Starling")
    above.plot([r.packing for r in reports], [r.compressibility for r in reports], "o", color="C0", label="carom")
    above.set_ylabel("p V / (N kT)")
    above.legend()
    above.set_title("Equation of state of hard spheres")
    below.axhline(0.0, color="0.4")
    off = [100.0 * (r.compressibility / r.carnahan_starling - 1.0) for r in reports]
    below.plot([r.packing for r in reports], off, "o-", color="C0")
    below.set_ylabel("difference, %")
    below.set_xlabel("packing: volume of the spheres over that of the box")
    figure.savefig(picture, dpi=150)


def main() -> None:
    """Measure, print, draw."""
    options = argparse.ArgumentParser(description="Equation of state of hard spheres.")
    options.add_argument("--spheres", type=int, default=2000)
    options.add_argument("--contacts", type=int, default=500_000)
    options.add_argument("--picture", type=Path, default=Path("equation_of_state.png"))
    asked = options.parse_args()
    print(f"{'packing':>8} {'collisions':>11} {'pV/NkT':>9} {'Carnahan-Starling':>18} {'series':>9}")
    reports = []
    for packing in PACKINGS:
        try:
            report = measure(asked.spheres, packing, asked.contacts)
        except carom.errors.SceneError as problem:
            print(f"{packing:8.2f} {problem}")
            continue
        reports.append(report)
        series = f"{virial_series(report.packing):9.4f}" if packing <= 0.3 else " " * 9
        row = f"{report.packing:8.3f} {report.collisions:11,} {report.compressibility:9.4f}"
        print(f"{row} {report.carnahan_starling:18.4f} {series}")
    draw(reports, asked.picture)
    print(f"picture: {asked.picture}")


if __name__ == "__main__":
    main()
