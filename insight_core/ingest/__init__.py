"""Files to the store: which there are, what was appended to each, and what is wrong with them."""
