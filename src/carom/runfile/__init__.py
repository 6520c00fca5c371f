"""Run files: what a run or a check found, in one DuckDB file each."""

from carom.runfile.check_file import CHECK, CheckFile
from carom.runfile.file import Checkpoint, RunFile
from carom.runfile.format import FORMAT_VERSION, SceneRecord
from carom.runfile.inspection import holds
from carom.runfile.recorder import Recorder

__all__ = ["CHECK", "FORMAT_VERSION", "CheckFile", "Checkpoint", "Recorder", "RunFile", "SceneRecord", "holds"]
