"""Deforming meshes: trees over triangles whose vertices move, and their first contacts."""

from carom.deform.animation_check import METHODS, check, contacts, self_contacts
from carom.deform.kinetic_tree.kinetic_tree import KineticTree, KineticTreeStats
from carom.deform.model.contact_log import DeformContact, DeformContacts, DeformStats
from carom.deform.separation_list.contacts import SeparationContact, SeparationContacts, SeparationStats
from carom.deform.separation_list.separation_list import SeparationList

__all__ = [
    "METHODS",
    "DeformContact",
    "DeformContacts",
    "DeformStats",
    "KineticTree",
    "KineticTreeStats",
    "SeparationContact",
    "SeparationContacts",
    "SeparationList",
    "SeparationStats",
    "check",
    "contacts",
    "self_contacts",
]
