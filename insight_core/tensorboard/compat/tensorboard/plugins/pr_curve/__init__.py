"""TensorBoard's plugin pr_curves, for those that read its data."""
