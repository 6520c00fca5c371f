"""Numbers: error-free arithmetic, sure signs of polynomials, and robust roots in time."""
