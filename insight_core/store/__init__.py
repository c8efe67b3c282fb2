"""What was read, by run, plugin and tag: columns that only grow, and views of them."""
