"""A run file's tables as Parquet or CSV files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from carom.errors import RunFileError
from carom.runfile import RunFile

_QUERIES = {
    "bodies": "SELECT * FROM bodies ORDER BY body",
    "contacts": "SELECT * FROM contacts ORDER BY contact",
    "checkpoints": "SELECT checkpoint, time, contacts FROM checkpoints ORDER BY checkpoint",
}
_OPTIONS = {"parquet": "FORMAT parquet", "csv": "FORMAT csv, HEADER"}


def export_run(run: str | Path, folder: str | Path, form: Literal["parquet", "csv"]) -> list[Path]:
    """Write bodies, contacts and checkpoints of a run as one file each into `folder`, and its scene as scene.json.

    The folder is made if needed; RunFileError if one of the files is there already. Returns the files written.
    """
    folder = Path(folder)
    targets = {table: folder / f"{table}.{form}" for table in _QUERIES}
    with RunFile.read(run) as file:
        for target in [*targets.values(), folder / "scene.json"]:
            if target.exists():
                raise RunFileError(f"{target}: already exists; export into another folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFileError(f"{folder}: cannot be made: {error.strerror}") from None
        for table, query in _QUERIES.items():
            quoted = str(targets[table]).replace("'", "''")
            file.connection.execute(f"COPY ({query}) TO '{quoted}' ({_OPTIONS[form]})")
        description = file.scene_record().description
        (folder / "scene.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
    return [*targets.values(), folder / "scene.json"]
