"""TensorBoard's plugin histograms, for those that read its data."""
