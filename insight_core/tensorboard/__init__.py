"""Hosts what was made for TensorBoard: its plugins as they are, and its own pages on our data."""
