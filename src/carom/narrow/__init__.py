"""Exact tests of one pair of bodies: when and where they first touch."""

from carom.narrow.shape_table import ShapeTable
from carom.narrow.status import Status
from carom.narrow.translating import Contact, first_contact, general_toi_address, toi_general

__all__ = ["Contact", "ShapeTable", "Status", "first_contact", "general_toi_address", "toi_general"]
