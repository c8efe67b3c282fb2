"""Writing event files from a Python program: numpy is all it needs."""
