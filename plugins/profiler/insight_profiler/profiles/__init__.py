"""The profiles of the logs: which there are, reading them in other processes, and keeping what was read."""
