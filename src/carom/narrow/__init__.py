"""Tests of one pair of bodies: times and places of first contact. Exact without spin, conservative with it."""

from carom.narrow.toi.pair_answer import Contact
from carom.narrow.toi.shape_table import ShapeTable
from carom.narrow.toi.spinning import spinning_toi_address, toi_spinning
from carom.narrow.toi.status import Status
from carom.narrow.toi.translating import first_contact, general_toi_address, toi_general
from carom.narrow.toi.turning_contact import Flights, TurningContacts, first_contact_turning, first_contacts_turning

__all__ = [
    "Contact",
    "Flights",
    "ShapeTable",
    "Status",
    "TurningContacts",
    "first_contact",
    "first_contact_turning",
    "first_contacts_turning",
    "general_toi_address",
    "spinning_toi_address",
    "toi_general",
    "toi_spinning",
]
