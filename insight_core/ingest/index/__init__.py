"""The index of what was read: a cache outside the logdir, mapped at the next start."""
