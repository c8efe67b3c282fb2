"""The tools: each gets the context of the plugin and checked arguments, and gives an answer."""
