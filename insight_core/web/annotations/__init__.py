"""Stores and serves what users say about runs."""
