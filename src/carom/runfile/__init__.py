"""Run files: the results of a run or a check, in one DuckDB file each."""

from carom.runfile.check_file import CHECK, CheckFile
from carom.runfile.checkpoint import Checkpoint
from carom.runfile.format import FORMAT_VERSION, RUN, SceneRecord
from carom.runfile.inspection import holds
from carom.runfile.recorder import Recorder
from carom.runfile.run_file import RunFile

__all__ = ["CHECK", "FORMAT_VERSION", "RUN", "CheckFile", "Checkpoint", "Recorder", "RunFile", "SceneRecord", "holds"]
