"""What is derived from the events of a reader: nesting, operators, steps, memory."""
