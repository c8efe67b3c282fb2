"""Protobuf messages and services of both gRPC APIs.

The ``.proto`` files are the source; ``make proto`` generates ``descriptors.binpb`` and the ``.pyi``.
"""
