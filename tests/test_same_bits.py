"""Arithmetic whose last bits depend on the processor or a library stays away from whatever reaches an answer or a log.

NumPy's products of matrices and its norms of whole arrays go to BLAS, and its functions of numbers to the C library or to
vector code of their own, all of which round differently from one processor to the next. carom has `_linear` and `maths`.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import carom

ROOT = Path(carom.__file__).parent
FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
NO_ANSWERS = ("bench/", "cli/", "play/", "view/")
"""Parts that show, measure or play."""
ALLOWED = {
    "bounds/axis_cover.py": "which axes bound bodies changes no log",
    "bounds/volumes/convex_hull.py": "directions of bounds, padded",
    "bounds/volumes/kdop.py": "checks of bounds, with room for rounding",
    "bounds/volumes/spherical_shell.py": "the same",
    "bounds/volumes/swept_sphere.py": "the same",
    "boxes/grid.py": "sizes of cells change no pair",
    "engine/kinetic_grid/layout.py": "the same",
    "engine/framed/hash_grid.py": "the same",
    "boxes/moving_boxes.py": "the same",
    "deform/model/adjacency.py": "products of whole numbers",
    "deform/separation_list/audit.py": "an audit, with room for rounding",
    "deform/kinetic_tree/audit.py": "the same",
    "engine/framed/cell_engine.py": "sizes of cells change no log",
    "world/guided/saving.py": "a check, with room for rounding",
    "engine/sweep/kinetic.py": "which axes bound bodies changes no log",
    "world/saved/check.py": "a check, with room for rounding",
    "engine/sweep/swept.py": "which axes bound bodies changes no log",
    "maths/normals.py": "its tails are rounded",
    "pose.py": "is a matrix a rotation, to within a tolerance?",
    "scenes/lamp.py": "a mesh for benches",
    "scenes/animated/shirt.py": "products of whole numbers",
    "baselines/bsp_tree.py": "for benches and the game",
    "shapes/parts/triangles.py": "pictures and replays",
    "trees/obb/tree.py": "checks of bounds, with room for rounding",
    "trees/obb/bvh8.py": "the same",
    "warming.py": "what warms up",
}
BLAS = {"dot", "vdot", "inner", "matmul", "tensordot", "einsum"}
LIBRARY = {
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan", "arctan2",
    "asinh", "acosh", "atanh", "arcsinh", "arccosh", "arctanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p",
    "pow", "power", "float_power", "hypot", "cbrt", "erf", "erfc", "gamma", "lgamma", "logaddexp", "sinc", "fma",
}  # fmt: skip
RANDOM = {"normal", "standard_normal", "exponential", "standard_exponential", "gamma", "standard_gamma", "beta"}


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
    )


def _risky(node: ast.AST) -> str | None:
    """What depends on the machine in this piece of a program."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
        return "@"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        square = isinstance(node.right, ast.Constant) and node.right.value in (1, 2)
        whole = isinstance(node.left, ast.Constant) and node.left.value in (2, 2.0, 8, 10)
        return None if square or whole else "** other than a square or a power of two"
    if isinstance(node, ast.ImportFrom) and node.module in ("math", "numpy"):
        return next((alias.name for alias in node.names if alias.name in BLAS | LIBRARY), None)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    name, of = node.func.attr, ast.unparse(node.func.value)
    if of in ("np.linalg", "numpy.linalg", "linalg"):
        axis = [keyword.value for keyword in node.keywords if keyword.arg == "axis"]
        return None if name == "norm" and axis and _is_constant(axis[0]) else f"linalg.{name}"
    if of in ("np", "numpy", "math") and name in BLAS | LIBRARY:
        return name
    return name if name in RANDOM and "rng" in of else None


@pytest.mark.parametrize("file", [file for file in FILES if not file.startswith(NO_ANSWERS)])
def test_file_computes_the_same_bits_on_every_machine(file):
    found = [
        f"line {node.lineno}: {what}"
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        if (what := _risky(node)) is not None
    ]
    assert bool(found) == (file in ALLOWED), found or "an exception that is not needed any more"
