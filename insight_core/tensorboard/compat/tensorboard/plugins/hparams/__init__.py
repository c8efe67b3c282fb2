"""TensorBoard's plugin hparams, for those that read its data."""
