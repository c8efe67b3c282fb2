"""What plugins are made of, and what they may know of each other's data."""
