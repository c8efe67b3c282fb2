"""Formats that readers need: dialects, events, columns, tensors, histograms. No I/O."""
