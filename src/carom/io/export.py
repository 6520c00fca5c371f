"""The tables of a run file as Parquet or CSV files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Literal

import duckdb

from carom.errors import RunFileError
from carom.files.atomic import publish, refusal, temporary, write_new
from carom.runfile import CHECK, RUN, CheckFile, RunFile, holds
from carom.runfile.database import not_written, quoted
from carom.runfile.format import Layout
from carom.runfile.inspection import connect_checked

_RUN_QUERIES = {
    "bodies": "SELECT * FROM bodies ORDER BY body",
    "contacts": "SELECT * FROM contacts ORDER BY contact",
    "checkpoints": "SELECT checkpoint, time, contacts FROM checkpoints ORDER BY checkpoint",
}
_CHECK_QUERIES = {name: _RUN_QUERIES[name] for name in ("bodies", "contacts")}
_OPTIONS = {"parquet": "FORMAT parquet", "csv": "FORMAT csv, HEADER"}


def export_run(run: str | Path, folder: str | Path, form: Literal["parquet", "csv"]) -> list[Path]:
    """Write bodies, contacts and checkpoints of a run as one file each into `folder`, and its scene as scene.json.

    For a checked animation: bodies, contacts, and check.json. The folder is made if needed. Returns the files; RunFileError if
    one of them exists or cannot be written.
    """
    run, folder = Path(run), Path(folder)
    if holds(run, CHECK):
        with CheckFile.read(run) as check:
            return _export(run, CHECK, _CHECK_QUERIES, folder, form, "check.json", check.source())
    with RunFile.read(run) as file:
        description = file.scene_record().description
    return _export(run, RUN, _RUN_QUERIES, folder, form, "scene.json", description)


def _export(
    run: Path,
    layout: Layout,
    queries: dict[str, str],
    folder: Path,
    form: Literal["parquet", "csv"],
    described_in: str,
    description: dict[str, object],
) -> list[Path]:
    targets = {table: folder / f"{table}.{form}" for table in queries}
    about = folder / described_in
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise RunFileError(f"{folder}: cannot be made: {getattr(error, 'strerror', None) or error}") from None
    for target in [*targets.values(), about]:
        if target.exists():
            raise RunFileError(f"{target}: already exists; export into another folder")
    with connect_checked(run, layout, exports_to=folder) as connection:
        for table, query in queries.items():
            _write_table(connection, query, targets[table], _OPTIONS[form])
    try:
        write_new(about, (json.dumps(description, indent=2) + "\n").encode("utf-8"))
    except FileExistsError:
        raise RunFileError(f"{about}: already exists; export into another folder") from None
    except OSError as error:
        raise RunFileError(f"{about}: cannot be written: {refusal(error)}") from None
    return [*targets.values(), about]


def _write_table(connection: duckdb.DuckDBPyConnection, query: str, target: Path, options: str) -> None:
    """Write the rows of a query as a new file."""
    with temporary(target) as unfinished:
        try:
            connection.execute(f"COPY ({query}) TO {quoted(os.path.abspath(unfinished))} ({options})")
            publish(unfinished, target)
        except duckdb.Error as error:
            raise RunFileError(not_written(target, error)) from None
        except FileExistsError:
            raise RunFileError(f"{target}: already exists; export into another folder") from None
        except OSError as error:
            raise RunFileError(f"{target}: cannot be written: {refusal(error)}") from None
