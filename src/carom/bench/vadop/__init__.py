"""Velocity-aligned polytopes, claim by claim: pruning, cost, and the kinetic form."""
