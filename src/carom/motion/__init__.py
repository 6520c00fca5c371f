"""How bodies move."""

from carom.motion.keyframes import Keyframes
from carom.motion.motion import Motion
from carom.motion.motions import Motions

__all__ = ["Keyframes", "Motion", "Motions"]
