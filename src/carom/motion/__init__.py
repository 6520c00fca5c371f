"""How bodies move."""

from carom.motion.deforming import Deforming
from carom.motion.keyframes import Keyframes
from carom.motion.motion import Motion
from carom.motion.motions import Motions

__all__ = ["Deforming", "Keyframes", "Motion", "Motions"]
