"""What descriptions of shapes are made of: support cores, parameters, stretches of rays, triangles."""
