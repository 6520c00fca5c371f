"""Deforming meshes: trees over triangles whose vertices move, and when and where they first touch."""

from carom.deform.animation_check import METHODS, check, contacts, self_contacts
from carom.deform.contact_log import DeformContact, DeformContacts, DeformStats

__all__ = ["METHODS", "DeformContact", "DeformContacts", "DeformStats", "check", "contacts", "self_contacts"]
