"""Expressions over columns of runs; plugins have ``plugin.filters``."""
