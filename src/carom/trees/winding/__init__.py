"""What is inside a closed surface: winding numbers, exactly in `winding_number` and through a tree in `far`."""
