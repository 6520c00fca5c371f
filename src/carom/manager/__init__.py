"""Named objects for collision queries: the interface of trimesh.collision.CollisionManager, and times of impact.

A trimesh user changes only the import. As in trimesh, convex meshes become solids and other meshes stay surfaces.
"""

from carom.manager.manager import CollisionManager, scene_to_collision, shape_of
from carom.manager.results import ContactData, DistanceData, ImpactData

__all__ = ["CollisionManager", "ContactData", "DistanceData", "ImpactData", "scene_to_collision", "shape_of"]
