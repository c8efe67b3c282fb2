"""What TensorBoard has beside TensorFlow."""
