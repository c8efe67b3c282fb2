"""The messages and services that cross a process: TensorBoard's data provider, and our own.

The ``.proto`` files are the source; ``make proto`` makes ``descriptors.binpb`` and the ``.pyi``.
"""
