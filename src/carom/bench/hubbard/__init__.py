"""`carom bench hubbard`: space-time bounds and sphere-trees, with and without time limits."""
