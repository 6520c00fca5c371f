"""Draws the two pictures of architecture.md: `python docs/draw_architecture.py` writes packages.svg and architecture.svg.

Titles of boxes are paths below src/carom; a test checks that they exist and that the pictures are up to date.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from pathlib import Path

INK, QUIET, LINE = "#1d2b36", "#45535f", "#55636f"
STYLES = {
    "file": ("#fdf3e3", "#d9a441"), "python": ("#eef3f6", "#7c94a6"), "kernel": ("#e7f0e4", "#6f9a5f"),
    "ground": ("#f4f1f7", "#9b8fb0"),
}  # fmt: skip
"""Fill and outline."""
GEOMETRY = {
    "shapes": "sphere, box, mesh,\nconvex, compound …",
    "motion": "uniform, accelerated,\nkeyframes, guided",
    "bounds": "kinetic bounds,\nbounding volumes",
    "trees": "oriented boxes,\nspheres, volumes",
    "queues": "event queues:\nheaps, tournament",
    "boxes": "pairs of boxes,\nstill and moving",
}  # fmt: skip
GROUND = {
    "_compile": "compiler, cache,\nthreads, SIMD",
    "tables": "columns of the\nkernels' arrays",
    "maths": "quaternions,\npolynomials",
    "validate": "checks of\narguments",
    "types.py": "Contact,\nContactLog",
    "tolerances.py": "every tolerance,\nwith its unit",
    "files": "atomic writes,\nlimits",
}  # fmt: skip
BANDS = {"python": "#f7f9fb", "kernel": "#f6faf4", "ground": "#faf8fc"}


@dataclass
class Picture:
    """SVG elements on a white sheet."""

    width: int
    height: int
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, size: float = 12.5, colour: str = QUIET, extra: str = "") -> None:
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}"{extra}>{html.escape(words)}</text>'
        )

    def rectangle(self, x: float, y: float, w: float, h: float, fill: str, outline: str, extra: str = "") -> None:
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="{fill}" stroke="{outline}"{extra}/>'
        )

    def box(self, x: float, y: float, w: float, h: float, title: str, lines: str = "", style: str = "python") -> None:
        """A box with a bold title and lines of text."""
        self.rectangle(x, y, w, h, *STYLES[style], extra=' rx="7" stroke-width="1.4"')
        self.text(x + 11, y + 21, title, 14, INK, ' font-weight="600"')
        for k, line in enumerate(lines.split("\n") if lines else []):
            self.text(x + 11, y + 40 + 17 * k, line)

    def band(self, y: float, h: float, words: str, style: str) -> None:
        """A layer across the sheet, named at its left."""
        self.rectangle(12, y, self.width - 24, h, BANDS[style], "none", ' rx="10"')
        middle = y + 0.5 * h
        turn = f' font-weight="600" text-anchor="middle" transform="rotate(-90 30 {middle:g})"'
        self.text(30, middle + 4, words, 12.5, STYLES[style][1], turn)

    def arrow(self, path: str, words: str = "", at: tuple[float, float] = (0.0, 0.0)) -> None:
        """An arrow along an SVG path, with a label."""
        self.parts.append(f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="1.7" marker-end="url(#tip)"/>')
        if words:
            self.text(*at, words, 12.5, "#20638f")

    def svg(self) -> str:
        tip = (
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            f'orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="{LINE}"/></marker></defs>'
        )
        size = f'width="{self.width}" height="{self.height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" {size} '
        sheet = f'<rect {size} rx="10" fill="#ffffff"/>'
        return "\n".join([f'{head}font-family="system-ui, sans-serif">', tip, sheet, *self.parts, "</svg>", ""])


def packages() -> Picture:
    """The packages in layers, each of which uses those below it, and the calls between them."""
    p = Picture(1120, 782)
    p.band(14, 84, "use", "python")
    p.band(108, 84, "around", "python")
    p.band(202, 84, "ask", "python")
    p.band(296, 118, "events", "kernel")
    p.band(424, 118, "contacts", "kernel")
    p.band(552, 110, "geometry", "kernel")
    p.band(672, 96, "ground", "ground")
    p.box(52, 24, 230, 64, "cli", "commands and their options")
    p.box(296, 24, 230, 64, "view", "replay page, pictures, plots")
    p.box(540, 24, 230, 64, "play", "a game on narrow/progressive")
    p.box(784, 24, 310, 64, "bench", "the papers' figures, other libraries")
    p.box(52, 118, 230, 64, "scenes", "built-in scenes, scene files")
    p.box(296, 118, 230, 64, "runfile", "contacts, checkpoints (DuckDB)")
    p.box(540, 118, 230, 64, "io", "meshes, animations, export")
    p.box(784, 118, 148, 64, "schedule", "checks in steps")
    p.box(946, 118, 148, 64, "physics.py", "gas measurements")
    p.box(
        52,
        212,
        474,
        64,
        "world",
        "bodies, one clock, one log of contacts, responses, saving;\ndeforming, guided and deferred bodies",
    )
    p.box(612, 212, 250, 64, "queries", "collide, distance, depth, impact, rays")
    p.box(876, 212, 218, 64, "manager", "named objects, as in trimesh")
    p.box(190, 306, 600, 98, "engine", "one event loop per broad phase, compiled as one call", "kernel")
    for k, name in enumerate(("kinetic_grid", "sweep", "vadop", "framed", "space_time", "all_pairs")):
        p.rectangle(202 + 97 * k, 362, 91, 30, "#ffffff", STYLES["kernel"][1], ' rx="5"')
        p.text(247.5 + 97 * k, 381, name, 12, INK, ' text-anchor="middle"')
    p.box(52, 434, 390, 98, "deform", "contacts of deforming meshes; feature tests by narrow", "kernel")
    for k, name in enumerate(("chord_front", "kinetic_tree", "separation_list", "triangles")):
        p.rectangle(60 + 95 * k, 490, 90, 30, "#ffffff", STYLES["kernel"][1], ' rx="5"')
        p.text(105 + 95 * k, 509, name, 11.5, INK, ' text-anchor="middle"')
    p.box(500, 434, 456, 98, "narrow", "contacts of two shapes: at an instant, and first contacts", "kernel")
    for k, name in enumerate(("toi", "convex", "mesh", "features", "progressive")):
        p.rectangle(510 + 89 * k, 490, 83, 30, "#ffffff", STYLES["kernel"][1], ' rx="5"')
        p.text(551.5 + 89 * k, 509, name, 12, INK, ' text-anchor="middle"')
    p.box(970, 434, 124, 98, "baselines", "BSP-trees,\nTurk's grid", "kernel")
    for k, (name, words) in enumerate(GEOMETRY.items()):
        p.box(52 + 175 * k, 564, 167, 86, name, words, "kernel")
    for k, (name, words) in enumerate(GROUND.items()):
        p.box(52 + 150 * k, 684, 142, 74, name, words, "ground")
    p.arrow("M130 88V116", "build", (138, 106))
    p.arrow("M240 88C250 104 320 98 340 116", "record", (350, 107))
    p.arrow("M450 88V116", "read", (458, 106))
    p.arrow("M130 182V210", "add bodies", (138, 200))
    p.arrow("M400 182V210", "advance, restore", (408, 200))
    p.arrow("M858 182C850 196 810 198 800 210", "test instants", (700, 200))
    p.arrow("M876 244H864")
    p.arrow("M300 276V304", "step(until): one compiled call", (308, 294))
    p.arrow("M110 276V432", "surfaces", (118, 350))
    p.arrow("M640 404V432", "tests, as C functions", (648, 422))
    p.arrow("M840 276V432", "one pair, many poses", (848, 350))
    p.arrow("M442 483H498")
    p.arrow("M471 404V562", "bounds, queues", (479, 550))
    p.arrow("M170 532V562")
    p.arrow("M700 532V562", "shapes, motions, trees", (708, 550))
    return p


def flow() -> Picture:
    """The flow of data from a scene file to a contact on disk."""
    p = Picture(1080, 690)
    p.box(30, 30, 190, 66, "my-scene.toml", "shapes, bodies, response", "file")
    p.box(300, 30, 220, 66, "scenes/toml/toml_file.py", "checked by schema.py → Scene")
    p.box(600, 30, 210, 66, "world/world.py", "Scene.build → add_many")
    p.box(860, 30, 190, 66, "world/body_rows.py", "checks, then writes rows")
    p.box(845, 150, 205, 94, "engine/tables.py", "structure of arrays; shapes in\nnarrow/toi/shape_table.py")
    p.box(
        560,
        150,
        262,
        94,
        "engine/broad_phase_choice.py",
        "the requested broad phase, or\nthe cheapest by estimated cost",
    )
    p.box(30, 150, 190, 66, "cli/run.py", "options, progress bar")
    p.box(30, 275, 190, 86, "runfile/recorder.py", "world.advance(until) in\nsteps of about 0.1 s")
    p.rectangle(270, 275, 780, 235, "#f6faf4", "#6f9a5f", ' rx="12" stroke-width="1.6" stroke-dasharray="6 4"')
    words = "one compiled call: the event loop of an engine (engine/loop.py: the code that all loops share)"
    p.text(288, 300, words, 14, "#3f6b2f", ' font-weight="600"')
    p.box(290, 318, 180, 84, "queues", "earliest event by time,\nkind, lower id, higher id", "kernel")
    p.box(535, 318, 215, 84, "engine/kinetic_grid", "or another broad phase:\npairs whose bounds overlap", "kernel")
    p.box(815, 318, 215, 84, "engine/events/predict.py", "when may this pair touch?\nroots of polynomials", "kernel")
    p.box(815, 416, 215, 76, "narrow/toi", "exact first contact, called by\nengine/narrow_call.py", "kernel")
    p.box(535, 416, 215, 76, "engine/events/contact.py", "row in the log, response,\nnew predictions", "kernel")
    p.box(290, 545, 210, 86, "world/log.py", "rows → ContactLog\n(types.py)")
    p.box(535, 545, 255, 86, "world/running.py", "serves responses, polled bodies,\nworld/deforming, world/guided")
    p.box(30, 536, 190, 94, "runfile/run_file.py", "contacts and snapshot,\ncommitted together\nat checkpoints")
    p.box(30, 640, 190, 38, "run.duckdb", "", "file")
    p.box(290, 642, 262, 36, "view, io: read it again")
    for path, words, at in (
        ("M220 63H298", "text", (246, 56)), ("M520 63H598", "arrays", (538, 56)), ("M810 63H858", "", (0, 0)),
        ("M955 96V148", "rows", (962, 126)), ("M843 193H824", "", (0, 0)), ("M470 350H533", "event", (482, 343)),
        ("M750 350H813", "pair", (768, 343)), ("M922 402V414", "", (0, 0)), ("M813 454H752", "contact", (761, 447)),
        ("M533 440H440V404", "new times", (447, 433)), ("M705 244V273", "", (0, 0)), ("M955 244V273", "", (0, 0)),
        ("M220 318H268", "", (0, 0)), ("M125 216V273", "", (0, 0)), ("M220 170C260 150 270 110 330 98", "", (0, 0)),
        ("M535 480C470 500 400 505 396 543", "log is full, or the end", (412, 532)), ("M642 492V543", "", (0, 0)),
        ("M665 545V494", "", (0, 0)), ("M288 588H222", "log", (245, 581)), ("M125 630V638", "", (0, 0)),
        ("M220 661H288", "", (0, 0)),
    ):  # fmt: skip
        p.arrow(path, words, at)
    return p


PICTURES = {"packages.svg": packages, "architecture.svg": flow}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        Path(__file__).with_name(name).write_text(draw().svg(), encoding="utf-8")
