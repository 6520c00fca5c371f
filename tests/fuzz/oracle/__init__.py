"""Slow, certified geometry that shares no code with carom: convex pieces, GJK with bounds, an advancement of its own."""
