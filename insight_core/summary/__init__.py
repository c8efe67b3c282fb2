"""Event files from a Python program: numpy is all it needs to write them; and what else is framed like them."""
