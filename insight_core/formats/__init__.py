"""What decoders of plugins share: payloads to arrays, without web code."""
