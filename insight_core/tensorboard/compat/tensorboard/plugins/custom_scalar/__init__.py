"""TensorBoard's plugin custom_scalars, for those that read its data."""
