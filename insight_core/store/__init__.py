"""In-memory storage of points by run, plugin and tag, and views computed from it."""
