"""What runs record of layers: one reader, and which layers are faulty; plugins have ``plugin.layers``."""
