"""Implementations of ``DataProvider``: local, merged, and clients of both gRPC services."""
