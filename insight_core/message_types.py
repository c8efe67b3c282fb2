"""Protobuf messages of a plugin, from the descriptor set that ``protoc`` makes of a ``.proto`` file."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class MessageTypes:
    """The messages of a descriptor set, by name, in a separate descriptor pool.

    The pool of the process may hold other definitions of the same names: TensorFlow's and TensorBoard's.
    ``protoc --descriptor_set_out=FILE.binpb --include_imports FILE.proto`` makes a descriptor set.
    """

    def __init__(self, descriptors: Path) -> None:
        """Reads a descriptor set. Raises OSError."""
        from google.protobuf.descriptor_pb2 import FileDescriptorSet  # slow to load, and few decoders need it
        from google.protobuf.descriptor_pool import DescriptorPool
        from google.protobuf.message_factory import GetMessageClass

        pool = DescriptorPool()
        self._classes: dict[str, type[Any]] = {}
        for file in FileDescriptorSet.FromString(descriptors.read_bytes()).file:
            pool.AddSerializedFile(file.SerializeToString())
            for name, descriptor in pool.FindFileByName(file.name).message_types_by_name.items():
                self._classes[name] = GetMessageClass(descriptor)

    # The classes are made at run time, so that no type is more exact than Any.

    def new(self, name: str, /, **fields: object) -> Any:  # noqa: ANN401
        """A new message of that name. Raises KeyError for an unknown name."""
        return self._classes[name](**fields)

    def parse(self, name: str, data: bytes) -> Any:  # noqa: ANN401
        """The message of that name in these bytes. Raises ValueError if they are malformed."""
        from google.protobuf.message import DecodeError

        try:
            return self._classes[name].FromString(data)
        except DecodeError as error:
            raise ValueError(f"the bytes are no {name}") from error
