"""Event files from a Python program, which needs numpy alone; and what else is framed like them."""
