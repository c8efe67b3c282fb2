"""Wire formats of event files: framing, dialects, protobuf, tensors, histograms, images. No I/O."""
