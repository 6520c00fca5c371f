"""Reproduction of kinetic sweep and prune (KSP), figure by figure."""
