"""insight-host: a plugin framework for TensorBoard-compatible hosting of training logs."""
