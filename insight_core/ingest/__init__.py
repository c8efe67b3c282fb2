"""Discovers, reads and tails log files, and reports their damage."""
