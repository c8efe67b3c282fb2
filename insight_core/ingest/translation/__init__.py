"""Follows stores of other trackers, which formats of plugins translate to event files (``StoreFormat``)."""
