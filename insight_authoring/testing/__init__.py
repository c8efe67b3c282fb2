"""For tests of plugins: a host without a port, data in memory, and event files as training writes them."""
