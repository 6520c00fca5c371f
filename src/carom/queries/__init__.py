"""Stateless questions about a pair of shapes, or a shape and a ray. Every query takes one pose or a batch."""
