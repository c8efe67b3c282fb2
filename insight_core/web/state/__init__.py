"""Files of the state directory, which hosts share, and who may write them."""
