"""How bodies move."""

from carom.motion.keyframes import Keyframes
from carom.motion.motion import Motion

__all__ = ["Keyframes", "Motion"]
