"""What a plugin may know of the data."""
