"""A document of headings, paragraphs, tables and pictures, written as Markdown and as one self-contained HTML page."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from carom.bench.report import Cell, shown


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the document's."""

    level: int
    text: str


@dataclass(frozen=True)
class Words:
    """A paragraph, with a bold lead."""

    text: str
    lead: str = ""


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: Sequence[str]


@dataclass(frozen=True)
class Grid:
    """A table; rows whose last cell is "NO" are marked in HTML."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    title: str = ""


@dataclass(frozen=True)
class Picture:
    """A PNG file beside the document."""

    path: Path
    caption: str


@dataclass
class Document:
    """Blocks in order."""

    title: str
    blocks: list[Heading | Words | Bullets | Grid | Picture] = field(default_factory=list)

    def markdown(self) -> str:
        """Return the document as Markdown; pictures are named."""
        return "\n\n".join([f"# {self.title}", *map(_markdown, self.blocks)]) + "\n"

    def page(self) -> str:
        """Return the document as one HTML page with its pictures, without scripts and network requests."""
        body = "\n".join(map(_html, self.blocks))
        title = html.escape(self.title)
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
            f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
        )


def _markdown(block: Heading | Words | Bullets | Grid | Picture) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {text}"
        case Words(text, lead):
            return f"**{lead}** {text}" if lead else text
        case Bullets(items):
            return "\n".join(f"- {item}" for item in items)
        case Grid(columns, rows, title):
            sides = [":--" if _is_text(rows, k) else "--:" for k in range(len(columns))]
            lines = [columns, sides, *([shown(cell) for cell in row] for row in rows)]
            table = "\n".join(
                "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
            )
            return f"*{title}*\n\n{table}" if title else table
        case Picture(path, caption):
            return f"![{caption}]({path.name})"


def _html(block: Heading | Words | Bullets | Grid | Picture) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{html.escape(text)}</h{level}>"
        case Words(text, lead):
            return f"<p>{f'<b>{html.escape(lead)}</b> ' if lead else ''}{html.escape(text)}</p>"
        case Bullets(items):
            return "<ul>" + "".join(f"<li>{html.escape(item)}</li>" for item in items) + "</ul>"
        case Grid(columns, rows, title):
            kinds = ["" if _is_text(rows, k) else ' class="n"' for k in range(len(columns))]
            head = "".join(f"<th{kind}>{html.escape(name)}</th>" for kind, name in zip(kinds, columns, strict=True))
            lines = []
            for row in rows:
                cells = [f"<td{kind}>{html.escape(shown(cell))}</td>" for kind, cell in zip(kinds, row, strict=True)]
                lines.append(f"<tr{_mark(row)}>{''.join(cells)}</tr>")
            caption = f"<caption>{html.escape(title)}</caption>" if title else ""
            return f'<div class="t"><table>{caption}<tr>{head}</tr>{"".join(lines)}</table></div>'
        case Picture(path, caption):
            data = base64.b64encode(path.read_bytes()).decode("ascii")
            return f'<p><img alt="{html.escape(caption)}" src="data:image/png;base64,{data}"></p>'


def _is_text(rows: Sequence[Sequence[Cell]], k: int) -> bool:
    return bool(rows) and isinstance(rows[0][k], str)


def _mark(row: Sequence[Cell]) -> str:
    return {"yes": ' class="y"', "NO": ' class="x"'}.get(str(row[-1]) if row else "", "")


_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;color:#22303c;max-width:1080px;margin:2rem auto;padding:0 1.2rem}
h1{font-size:1.9rem;line-height:1.2}h2{margin-top:2.6rem;border-bottom:2px solid #e3e8ec;padding-bottom:.2rem}
h3{margin-top:1.9rem}img{max-width:100%}.t{overflow-x:auto}
table{border-collapse:collapse;font-size:.86rem;margin:.8rem 0}caption{text-align:left;color:#6b7a88;padding-bottom:.3rem}
th,td{padding:.22rem .7rem .22rem 0;text-align:left;vertical-align:top;border-bottom:1px solid #e3e8ec}
th{border-bottom:2px solid #b9c4cd}.n{text-align:right;font-variant-numeric:tabular-nums}
.y td:last-child{color:#1a7f4b;font-weight:600}.x td:last-child{color:#d62828;font-weight:600}
"""
