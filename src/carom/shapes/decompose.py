"""Meshes as unions of convex solids."""

from __future__ import annotations

from typing import Any

from carom import validate
from carom.errors import CaromError, InvalidInputError
from carom.shapes.compound import Compound
from carom.shapes.convex import Convex
from carom.shapes.shape import SurfaceShape


def decompose(mesh: SurfaceShape, **options: Any) -> Compound:
    """Approximate a closed mesh by a Compound of Convex solids, found by CoACD (Wei et al., 2022).

    mesh: the surface, usually a Mesh. options: those of `coacd.run_coacd`; the usual ones are threshold (0.05: how far a
    piece may deviate from the mesh, as a share of the mesh's size), max_convex_hull (-1: any number of pieces) and seed.
    The same mesh, options and seed give the same pieces. Pieces without volume are left out.

    Raises CaromError where CoACD is not installed, InvalidInputError for a wrong mesh or option.
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
