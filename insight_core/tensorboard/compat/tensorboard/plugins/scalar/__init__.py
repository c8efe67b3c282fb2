"""TensorBoard's plugin scalars, for those that read its data."""
