"""The interior of a closed surface by winding numbers: exact in `winding_number`, by a tree in `far`."""
