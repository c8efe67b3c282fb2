"""Small things that plugins share."""
