"""What plugins use to answer requests."""
