"""Hosts plugins made for TensorBoard unchanged, and its own page, on our data."""
