"""The documentation tells the truth: every code block runs and prints what the page shows, every link leads somewhere."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

import carom
from carom.cli import app
from carom.scenes import load_scene, scene_schema
from code_blocks import blocks_of
from command_line import command

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
SOURCES = [ROOT / "README.md", *PAGES]
PEERS = {"fcl"}
"""Modules of carom[peers], which need not be installed: blocks that import them are then left out."""


def by_name(page: Path) -> str:
    return page.stem


def with_blocks(language: str, pages: list[Path]) -> list[Path]:
    return [page for page in pages if any(block.language == language for block in blocks_of(page))]


def imported(code: str) -> set[str]:
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Import)]
    return {alias.name.split(".")[0] for node in nodes for alias in node.names}


@pytest.mark.parametrize("page", with_blocks("python", PAGES), ids=by_name)
def test_docs_python_blocks_run_and_print_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {"__name__": "__main__"}
    missing = set()
    for block in blocks_of(page):
        if block.language != "python":
            continue
        missing |= {name for name in imported(block.code) & PEERS if importlib.util.find_spec(name) is None}
        if missing & imported(block.code):
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("\n" * (block.line - 1) + block.code, str(page), "exec"), space)
        if block.shown is not None:
            assert out.getvalue() == block.shown, f"{page.name}, line {block.line}"
    if missing:
        pytest.skip(f"all but the blocks that import {', '.join(sorted(missing))} ran")


@pytest.mark.parametrize("page", with_blocks("sh", SOURCES), ids=by_name)
def test_docs_commands_are_understood(page):
    group = typer.main.get_command(app)
    lines = [line for block in blocks_of(page) if block.language == "sh" for line in block.code.splitlines()]
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[:1] != ["carom"]:
            continue
        name, command, rest = group.resolve_command(
            group.make_context("carom", words[1:], resilient_parsing=True), words[1:]
        )
        command.make_context(name, rest)  # parses; a wrong option or a missing argument raises


@pytest.mark.parametrize("page", with_blocks("toml", PAGES), ids=by_name)
def test_docs_scene_files_are_read(page, tmp_path):
    for k, block in enumerate(block for block in blocks_of(page) if block.language == "toml"):
        file = tmp_path / f"scene-{k}.toml"
        file.write_text(block.code, encoding="utf-8")
        assert len(load_scene(file)) > 0


def test_docs_tour_shows_the_answer_of_its_query(monkeypatch, capsys):
    blocks = blocks_of(DOCS / "tour.md")
    (typed,) = (line for block in blocks for line in block.code.splitlines() if line.startswith("carom query"))
    _, out, _ = command(monkeypatch, capsys)(*shlex.split(typed, comments=True)[1:])
    answer = "\n".join(line.rstrip() for line in out.splitlines())
    assert f"```text\n{answer}\n```" in (DOCS / "tour.md").read_text(encoding="utf-8")


def test_docs_tables_name_every_key_of_a_scene_file():
    text = (DOCS / "scene-files.md").read_text(encoding="utf-8")
    schema = scene_schema()
    for table in (schema, *schema["$defs"].values()):
        for key in set(table["properties"]) - {"kind", "array"}:
            assert f"`{key}`" in text or f"[[{key}]]" in text or f"[{key}." in text or f"{key} =" in text, key


@pytest.mark.parametrize("page", SOURCES, ids=by_name)
def test_docs_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http://", "https://", "#")):
            assert (page.parent / target.split("#")[0]).exists(), f"{page.name} links to {target}"


def test_docs_every_page_is_in_the_contents():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```$", index, flags=re.DOTALL | re.MULTILINE)
    entries = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    listed = {re.sub(r".*<(.*)>", r"\1", entry) for entry in entries}
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in DOCS.rglob("*.md")}
    assert listed == pages - {"index"}


PUBLIC = {*carom.__all__, *(f"{module}.{name}" for module, names in carom._MOVED.items() for name in names.split())}


def test_docs_reference_has_every_public_name():
    described = set(
        re.findall(r"^\.\. auto\w+:: carom\.([\w.]+)$", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert described >= PUBLIC


@pytest.mark.skipif(importlib.util.find_spec("sphinx") is None, reason="needs carom[docs]")
def test_docs_site_builds_without_a_warning(tmp_path):
    from sphinx.cmd.build import build_main

    assert build_main(["-q", "-W", "-b", "html", "-d", str(tmp_path / "trees"), str(DOCS), str(tmp_path / "site")]) == 0
    built = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    assert all(f'id="carom.{name}"' in built for name in PUBLIC)


def drawing() -> Any:
    spec = importlib.util.spec_from_file_location("draw_architecture", DOCS / "draw_architecture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_docs_pictures_of_the_architecture_are_up_to_date_and_name_what_there_is():
    for name, draw in drawing().PICTURES.items():
        svg = draw().svg()
        assert (DOCS / name).read_text(encoding="utf-8") == svg, "run python docs/draw_architecture.py"
        titles = re.findall(r'font-size="14" fill="#1d2b36" font-weight="600">([^<]+)<', svg)
        paths = [title for title in titles if title not in ("my-scene.toml", "run.duckdb", "view, io: read it again")]
        assert len(paths) > 10
        assert not [path for path in paths if not (ROOT / "src" / "carom" / path).exists()]
