"""First contact of a vertex and a face, or of two edges, whose points move straight: a certified filter, exact integers."""
