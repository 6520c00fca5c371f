"""Run files: scene, bodies, contacts and checkpoints of a run in one DuckDB file."""

from carom.runfile.file import Checkpoint, RunFile
from carom.runfile.format import FORMAT_VERSION, SceneRecord
from carom.runfile.recorder import Recorder

__all__ = ["FORMAT_VERSION", "Checkpoint", "Recorder", "RunFile", "SceneRecord"]
