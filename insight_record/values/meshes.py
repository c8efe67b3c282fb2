"""Meshes and clouds of points.

Messages: tensorboard/plugins/mesh/plugin_data.proto.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from insight_record.arrays import numbers_of
from insight_record.encoders.encoder import EncodedValue
from insight_record.formats.protobuf import encoded_varint, int_field, message_field, text_field
from insight_record.values.tensors import tensor_value

_NAME, _CONTENT_TYPE, _CONFIG, _SHAPE, _COMPONENTS = 2, 3, 5, 6, 7  # of the plugin data
_PARTS = {"VERTEX": 1, "FACE": 2, "COLOR": 3}  # content types, in the order of the tags


def mesh(
    tag: str, vertices: object, colors: object, faces: object, config_dict: Mapping[str, Any] | None
) -> list[EncodedValue]:
    """Tensors [batch, n, 3] of the vertices and, if given, of faces and colours, a tag each.

    ``config_dict`` has settings of three.js. Raises ValueError or TypeError for other shapes and types.
    """
    given = {"VERTEX": vertices, "FACE": faces, "COLOR": colors}
    arrays = {part: numbers_of(value) for part, value in given.items() if value is not None}
    for part, array in arrays.items():
        if array.ndim != 3 or array.shape[-1] != 3:
            raise ValueError(f"{part.lower()} is [batch, n, 3], not {list(array.shape)}")
    components = sum(1 << _PARTS[part] for part in arrays)
    config = json.dumps(config_dict or {}, sort_keys=True)
    found = []
    for part, array in arrays.items():
        content = text_field(_NAME, tag) + int_field(_CONTENT_TYPE, _PARTS[part])
        content += text_field(_CONFIG, config)
        content += message_field(_SHAPE, b"".join(map(encoded_varint, array.shape)))
        content += int_field(_COMPONENTS, components)
        found.append(tensor_value(f"{tag}_{part}", array.astype(np.float32), "mesh", content=content))
    return found
