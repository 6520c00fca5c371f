"""Event queues over fixed slots, all with one total order (time, tie): tournament, pairing, heap4, fibonacci, reference."""

from carom.queues.event_queue import METHODS, EventQueue

__all__ = ["METHODS", "EventQueue"]
