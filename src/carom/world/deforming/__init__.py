"""Deforming bodies in a world: what they follow, when their pairs touch, and what a contact does.

The event loop sees such a body as kinetic bounds. Its pairs are asked about in Python, a few at a time: the answer is when
the pair next touches, a function of the motions alone, so that every broad phase gives the same log.
"""
