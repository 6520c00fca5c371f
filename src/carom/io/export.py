"""The tables of a run file as Parquet or CSV files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import duckdb

from carom.errors import RunFileError
from carom.runfile import CHECK, CheckFile, RunFile, holds

_RUN_QUERIES = {
    "bodies": "SELECT * FROM bodies ORDER BY body",
    "contacts": "SELECT * FROM contacts ORDER BY contact",
    "checkpoints": "SELECT checkpoint, time, contacts FROM checkpoints ORDER BY checkpoint",
}
_CHECK_QUERIES = {name: _RUN_QUERIES[name] for name in ("bodies", "contacts")}
_OPTIONS = {"parquet": "FORMAT parquet", "csv": "FORMAT csv, HEADER"}


def export_run(run: str | Path, folder: str | Path, form: Literal["parquet", "csv"]) -> list[Path]:
    """Write bodies, contacts and checkpoints of a run as one file each into `folder`, and its scene as scene.json.

    Of a checked animation: bodies, contacts, and what was checked as check.json. The folder is made if needed; RunFileError
    if one of the files is there already. Returns the files written.
    """
    if holds(Path(run), CHECK):
        with CheckFile.read(run) as check:
            return _export(check.connection, _CHECK_QUERIES, Path(folder), form, "check.json", check.source())
    with RunFile.read(run) as file:
        description = file.scene_record().description
        return _export(file.connection, _RUN_QUERIES, Path(folder), form, "scene.json", description)


def _export(
    connection: duckdb.DuckDBPyConnection,
    queries: dict[str, str],
    folder: Path,
    form: Literal["parquet", "csv"],
    described_in: str,
    description: dict[str, object],
) -> list[Path]:
    targets = {table: folder / f"{table}.{form}" for table in queries}
    for target in [*targets.values(), folder / described_in]:
        if target.exists():
            raise RunFileError(f"{target}: already exists; export into another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFileError(f"{folder}: cannot be made: {error.strerror}") from None
    for table, query in queries.items():
        quoted = str(targets[table]).replace("'", "''")
        connection.execute(f"COPY ({query}) TO '{quoted}' ({_OPTIONS[form]})")
    (folder / described_in).write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
    return [*targets.values(), folder / described_in]
