"""The shape of the package: who may import whom, and which files hold no kernels."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import carom

ROOT = Path(carom.__file__).parent
BASE = ("_compile", "errors", "files", "tables", "types", "tolerances", "maths", "validate", "pose")
LAYERS = (
    BASE, ("queues",), ("shapes",), ("motion",), ("bounds",), ("trees",), ("boxes",), ("narrow",), ("baselines",), ("deform",),
    ("queries",), ("manager",),
    ("response",), ("engine",), ("world",), ("time_critical",), ("physics",), ("schedule",),
    ("runfile",), ("io",), ("scenes",), ("warming",), ("view",), ("play",), ("bench",), ("cli",), ("__main__",),
)  # fmt: skip
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")
KERNEL_FREE = (
    "__main__", "bench", "cli", "io", "manager", "physics", "play", "queries", "runfile", "scenes", "schedule", "view",
    "warming",
)  # fmt: skip
COMPILED = re.compile(r"@(\w*kernel|c_callback|intrinsic|(numba\.)?n?jit)\b")
RANK |= {path.stem: 0 for path in ROOT.glob("_[a-z]*.py")}


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    """Names below `carom` that the file imports, wherever in the file; imports for type checkers alone do not count."""
    parts = set()
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        pending.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"carom.{alias.name}" for alias in node.names] if node.module == "carom" else [node.module or ""]
        else:
            continue
        parts.update(name.split(".")[1] for name in names if name.startswith("carom."))
    return parts


def test_layers_every_part_has_a_place():
    assert {part_of(path) for path in FILES} <= set(RANK)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_layers_are_those_that_the_pages_draw(page):
    text = (Path(__file__).parents[1] / page).read_text(encoding="utf-8")
    drawn = [
        re.split(r" {2,}", line)[0].split() for line in text.split("_compile errors", 1)[1].split("```")[0].splitlines()
    ]
    names = [name for line in drawn for name in line]
    assert names == [name for layer in LAYERS for name in layer if name not in ("_compile", "errors", "__main__")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_layers_imports_only_go_down(path):
    rank = RANK[part_of(path)]
    wrong = sorted(part for part in imported_parts(path) if RANK[part] > rank)
    assert not wrong, f"{path.relative_to(ROOT)} imports {wrong} from a higher layer"


def test_layers_kernel_free_parts_hold_no_kernel():
    for path in FILES:
        if part_of(path) in KERNEL_FREE:
            text = path.read_text(encoding="utf-8")
            assert not COMPILED.search(text), path
