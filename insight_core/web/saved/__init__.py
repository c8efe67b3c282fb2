"""Stores and serves state of tabs that users save under a name."""
