"""``insight-host plugin``: commands for authors of plugins."""
