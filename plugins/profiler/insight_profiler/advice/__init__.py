"""Rules that say what to change in a profiled program, with evidence and an estimate of what it saves."""
