"""Velocity-aligned polytopes, claim by claim: what they prune, what they cost, and what their kinetic form saves."""
