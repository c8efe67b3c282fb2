"""The read side: what routes know of the data, wherever it is loaded."""
