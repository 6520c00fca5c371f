"""Searches whose shapes already overlap when they start.

`solids` tells what lies inside a shape, `inside` whether such a pair has a contact at once, and `stay` how long two convex
shapes on curved paths stay in each other.
"""
