"""Exact integers and polynomials of any size inside kernels, in a pool that is allocated once."""
