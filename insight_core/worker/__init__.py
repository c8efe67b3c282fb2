"""Processes that call functions within limits, and the queue of calls; plugins have ``plugin.worker``."""
