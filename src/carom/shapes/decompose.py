"""Meshes as unions of convex solids."""

from __future__ import annotations

from typing import Any

from carom import validate
from carom.errors import CaromError, InvalidInputError
from carom.shapes.compound import Compound
from carom.shapes.convex import Convex
from carom.shapes.shape import SurfaceShape


def decompose(mesh: SurfaceShape, **options: Any) -> Compound:
    """Approximate a closed mesh by a Compound of Convex solids, computed by CoACD (Wei et al., 2022).

    The same mesh, options and seed give the same pieces. Pieces without volume are left out.

    Parameters
    ----------
    mesh : Mesh, Box or Convex
        The surface.
    **options
        Options of `coacd.run_coacd`. The usual ones are threshold (default 0.05: maximum deviation of a piece from the
        mesh, as a fraction of the size of the mesh), max_convex_hull (default -1: no limit on the number of pieces) and
        seed.

    Returns
    -------
    Compound
        The convex pieces.

    Raises
    ------
    CaromError
        CoACD is not installed.
    InvalidInputError
        The mesh or an option is malformed.
    """
    if not isinstance(mesh, SurfaceShape):
        raise InvalidInputError(f"mesh is {validate.shown(mesh)}; expected a carom.Mesh")
    try:
        import coacd
    except ImportError:
        raise CaromError("decompose needs the package coacd: install carom[decompose]") from None
    coacd.set_log_level("error")
    try:
        parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.faces), **options)
    except (TypeError, UnboundLocalError) as error:
        raise InvalidInputError(f"options are {validate.shown(options)}; CoACD refuses them: {error}") from error
    solids = []
    for points, _ in parts:
        try:
            solids.append(Convex(points))
        except InvalidInputError:
            continue
    if not solids:
        raise InvalidInputError("mesh has no volume to decompose; expected a closed surface")
    return Compound([(solid, None) for solid in solids])
