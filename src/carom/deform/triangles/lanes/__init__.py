"""Vector instructions over the corners, features and boxes of one pair of triangles."""
