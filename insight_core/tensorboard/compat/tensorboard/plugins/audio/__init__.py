"""TensorBoard's plugin audio, for those that read its data."""
