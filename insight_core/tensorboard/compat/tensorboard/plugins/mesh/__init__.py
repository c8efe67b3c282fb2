"""TensorBoard's plugin mesh, for those that read its data."""
