"""Motions of bodies: rigid, keyframed, deforming and guided."""

from carom.motion.deforming import Deforming, span_of
from carom.motion.guided import Guided
from carom.motion.keyframes import Keyframes
from carom.motion.motion import Motion
from carom.motion.motions import Motions

__all__ = ["Deforming", "Guided", "Keyframes", "Motion", "Motions", "span_of"]
