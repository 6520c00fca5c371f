"""One report of all benches: every figure of the papers beside the paper's claim, every comparison, every target."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from carom.bench.document import Bullets, Document, Grid, Heading, Picture, Words
from carom.bench.papers import PAPERS, PEERS, Exhibit
from carom.bench.report import CLAIM_COLUMNS, Claim, Report, Table
from carom.errors import InvalidInputError

REPORT = "report"
"""Name of the files, without their endings."""


def load_reports(folder: Path) -> dict[str, Report]:
    """Return the reports of single benches in the folder, by bench; InvalidInputError if there are none."""
    found = [Report.load(path) for path in sorted(folder.glob("*.json"))]
    if not found:
        raise InvalidInputError(f"{folder}: no bench has left its results here; run one with --out {folder}, or `all`")
    return {report.name.replace("_", "-"): report for report in found}


def write_report(reports: dict[str, Report], folder: Path) -> tuple[Path, Path]:
    """Write report.html and report.md, with the pictures beside the latter, into `folder`; returns both."""
    document = whole_report(reports)
    folder.mkdir(parents=True, exist_ok=True)
    for picture in (block.path for block in document.blocks if isinstance(block, Picture)):
        if picture.parent.resolve() != folder.resolve():
            shutil.copyfile(picture, folder / picture.name)
    page, text = folder / f"{REPORT}.html", folder / f"{REPORT}.md"
    page.write_text(document.page(), encoding="utf-8")
    text.write_text(document.markdown(), encoding="utf-8")
    return page, text


def whole_report(reports: dict[str, Report]) -> Document:
    """Return the report of these benches; missing measurements are mentioned."""
    document = Document("carom: measured beside the papers and other libraries")
    add = document.blocks
    add += _opening(reports)
    reported: set[tuple[str, str]] = set()
    for paper in PAPERS:
        add += [Heading(2, paper.title), Words(f"{paper.citation}.")]
        for exhibit in paper.exhibits:
            add += _exhibit(exhibit, reports, reported, "The paper:")
    add += [Heading(2, "Other libraries"), Words("Same input, same run, same machine; ratios within the run.")]
    for exhibit in PEERS:
        add += _exhibit(exhibit, reports, reported, "Compared:")
    for name, report in reports.items():
        add += _rest(name, report, reported)
    return document


def _opening(reports: dict[str, Report]) -> list[Heading | Words | Bullets | Grid | Picture]:
    rows = [
        (name, sum(claim.met for claim in report.claims), len(report.claims), _pace(report), report.made or "unknown")
        for name, report in reports.items()
    ]
    blocks: list[Heading | Words | Bullets | Grid | Picture] = [
        Words(
            "Every reproduced figure is shown beside the paper's claim, and every comparison with another library beside its "
            "target; targets are carom's own. Times are of this machine; ratios are more portable."
        ),
        Grid(("bench", "targets met", "of", "measurement", "made"), rows),
    ]
    if any(report.quick for report in reports.values()):
        blocks.append(Words("Quick measurements show that everything runs; their times mean little.", "Note:"))
    machines: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for name, report in reports.items():
        machines.setdefault(tuple(report.machine.items()), []).append(name)
    blocks.append(Heading(2, "Machine and versions"))
    blocks.append(Bullets([f"{', '.join(names)}: {_facts(facts)}" for facts, names in machines.items()]))
    return blocks


def _pace(report: Report) -> str:
    return f"{'quick' if report.quick else 'full'}, {report.seconds / 60.0:.1f} min"


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{key} {value}" for key, value in facts)


def _exhibit(
    exhibit: Exhibit, reports: dict[str, Report], reported: set[tuple[str, str]], who: str
) -> list[Heading | Words | Bullets | Grid | Picture]:
    """Return claim, results, tables and pictures of an exhibit; each picture and table occurs once."""
    blocks: list[Heading | Words | Bullets | Grid | Picture] = [Heading(3, exhibit.title), Words(exhibit.says, who)]
    report = reports.get(exhibit.bench)
    if report is None:
        return [*blocks, Words(f"not in this report; `carom bench {exhibit.bench}` measures it.", "Here:")]
    claims = [claim for claim in report.claims if claim.what.startswith(exhibit.claims)] if exhibit.claims else []
    tables = [table for table in report.tables if table.name in exhibit.tables]
    if not claims and not tables:
        return [*blocks, Words(f"left out of this run of `carom bench {exhibit.bench}`.", "Here:")]
    reported.update((exhibit.bench, claim.what) for claim in claims)
    if claims:
        blocks += [Words("", "Here:"), _claims(claims)]
    for table in tables:
        if (exhibit.bench, table.name) not in reported:
            blocks.append(_table(table))
        reported.add((exhibit.bench, table.name))
    for picture in (picture for picture in report.pictures if picture.name in exhibit.pictures):
        if (exhibit.bench, picture.name) not in reported and picture.exists():
            blocks.append(Picture(picture, exhibit.title))
        reported.add((exhibit.bench, picture.name))
    return blocks


def _rest(
    name: str, report: Report, reported: set[tuple[str, str]]
) -> list[Heading | Words | Bullets | Grid | Picture]:
    """Return the notes of a bench, and its results that belong to no exhibit."""
    blocks: list[Heading | Words | Bullets | Grid | Picture] = [Heading(2, f"carom bench {name}")]
    if report.notes:
        blocks.append(Bullets(report.notes))
    if claims := [claim for claim in report.claims if (name, claim.what) not in reported]:
        blocks += [Heading(3, "Further targets"), _claims(claims)]
    if tables := [table for table in report.tables if table.shown and (name, table.name) not in reported]:
        blocks += [Heading(3, "Further measurements"), *map(_table, tables)]
    for picture in report.pictures:
        if (name, picture.name) not in reported and picture.exists():
            blocks.append(Picture(picture, picture.stem.replace("_", " ")))
    return blocks


def _claims(claims: Sequence[Claim]) -> Grid:
    return Grid(CLAIM_COLUMNS, [claim.words() for claim in claims])


def _table(table: Table) -> Grid:
    return Grid(table.columns, table.rows, table.title)
