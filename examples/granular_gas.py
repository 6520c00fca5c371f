"""A granular gas: spheres that lose speed at every contact cool, and their energy falls as Haff's law says.

    python examples/granular_gas.py [--spheres 2000] [--restitution 0.9] [--until 200] [--picture granular_gas.png]

With restitution below 1, particles can collide infinitely often in finite time (inelastic collapse). carom ends that by the
TC model of Luding and McNamara: a sphere hit again within `collapse_time` of its last contact bounces elastically. How
often that was needed is printed. A picture needs `pip install carom[plot]`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import carom
from carom.scenes import scene


def cool(spheres: int, restitution: float, until: float) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Times, temperatures, contacts, and contacts that followed the last one of a sphere within the collapse time."""
    made = scene("gas", objects=spheres, packing=0.1, periodic=1, restitution=restitution, seed=1)
    world = made.build()
    times, temperatures, contacts, quick = [], [], 0, 0
    last = np.full(spheres, -np.inf)
    pause = carom.Elastic(restitution).collapse_time
    for t in np.concatenate(([0.0], np.geomspace(0.1, until, 120))):
        log = world.advance(float(t))
        contacts += len(log)
        for time, a, b in zip(log.times, log.a, log.b, strict=True):
            quick += time - max(last[a], last[b]) < pause
            last[a] = last[b] = time
        times.append(t)
        temperatures.append(float(np.mean(world.velocities() ** 2)))
    return np.array(times), np.array(temperatures), contacts, quick


def haff(times: np.ndarray, temperatures: np.ndarray) -> tuple[np.ndarray, float]:
    """T(0) / (1 + t / tau)^2 with the tau that fits the first tenth of the times."""
    early = (times > 0.0) & (times < 0.1 * times[-1])
    tau = float(np.median(times[early] / (np.sqrt(temperatures[0] / temperatures[early]) - 1.0)))
    return temperatures[0] / (1.0 + times / tau) ** 2, tau


def main() -> None:
    """Run, print, draw."""
    options = argparse.ArgumentParser(description="A cooling granular gas.")
    options.add_argument("--spheres", type=int, default=2000)
    options.add_argument("--restitution", type=float, default=0.9)
    options.add_argument("--until", type=float, default=200.0)
    options.add_argument("--picture", type=Path, default=Path("granular_gas.png"))
    asked = options.parse_args()
    times, temperatures, contacts, quick = cool(asked.spheres, asked.restitution, asked.until)
    law, tau = haff(times, temperatures)
    print(f"{contacts:,} contacts; temperature fell from {temperatures[0]:.3g} to {temperatures[-1]:.3g}")
    print(f"Haff's law with tau = {tau:.3g} s gives {law[-1]:.3g} at the end")
    print(f"{quick:,} contacts came within the collapse time and bounced elastically")
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    axes.loglog(1.0 + times / tau, temperatures, color="C0", label="carom")
    axes.loglog(1.0 + times / tau, law, "--", color="0.4", label="Haff's law")
    axes.set_xlabel("1 + t / tau")
    axes.set_ylabel("temperature")
    axes.set_title(f"Cooling granular gas, restitution {asked.restitution:g}")
    axes.legend()
    figure.savefig(asked.picture, dpi=150)
    print(f"picture: {asked.picture}")


if __name__ == "__main__":
    main()
