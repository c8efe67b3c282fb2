"""Client of TensorBoard's data-provider service."""
