"""Stateless queries about a pair of shapes, or a shape and a ray. Every query takes one pose or a batch of poses."""

from carom.queries.feature_toi import edge_edge_toi, vertex_face_toi
from carom.queries.moving import shape_cast, time_of_impact
from carom.queries.ray import ray_cast
from carom.queries.results import Collision, Contacts, Distance, Impact, Penetration, RayHit
from carom.queries.still import collide, distance, gap, penetration
from carom.queries.tracker import Tracker

__all__ = [
    "Collision",
    "Contacts",
    "Distance",
    "Impact",
    "Penetration",
    "RayHit",
    "Tracker",
    "collide",
    "distance",
    "edge_edge_toi",
    "gap",
    "penetration",
    "ray_cast",
    "shape_cast",
    "time_of_impact",
    "vertex_face_toi",
]
