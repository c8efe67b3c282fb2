"""TensorBoard's plugin images, for those that read its data."""
