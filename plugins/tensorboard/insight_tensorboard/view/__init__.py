"""Translates a ``DataProvider`` into TensorBoard's data model."""
