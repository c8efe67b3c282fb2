"""TensorBoard's plugin text, for those that read its data."""
