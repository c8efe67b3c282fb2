"""Reads the scene of a mesh that a writer describes: TensorBoard's ``config_dict``, settings of three.js.

Message: tensorboard/plugins/mesh/plugin_data.proto.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, TypeGuard

from insight_core.plugin.payloads import LENGTH_DELIMITED, fields

_CONFIG = 5  # of MeshPluginData
_LONGEST = 1 << 16  # bytes of a configuration


def scene_of(content: bytes) -> dict[str, object]:
    """Returns the settings that the page uses, from the content of the summary metadata; {} without any.

    ``position`` and ``look_at`` of the camera in coordinates of the points, its ``fov`` in degrees, and
    whether it is ``orthographic``; ``color`` (``#rrggbb``) and ``wireframe`` of the material. The
    rest is left out.
    """
    camera, material = (_mapping(_config(content).get(name)) for name in ("camera", "material"))
    fov = camera.get("fov")
    found = {
        "position": _point(camera.get("position")),
        "look_at": _point(camera.get("lookAt")),
        "fov": fov if _is_number(fov) and 1 <= fov <= 170 else None,
        "orthographic": camera.get("cls") == "OrthographicCamera" or None,
        "color": _color(material.get("color")),
        "wireframe": material.get("wireframe") is True or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _config(content: bytes) -> Mapping[str, Any]:
    try:
        for number, kind, start, end, _ in fields(content):
            if number == _CONFIG and kind == LENGTH_DELIMITED and end - start <= _LONGEST:
                return _mapping(json.loads(content[start:end]))
    except (ValueError, RecursionError):
        pass
    return {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _point(value: object) -> list[float] | None:
    if isinstance(value, list) and len(value) == 3 and all(map(_is_number, value)):
        return [float(one) for one in value]
    return None


def _color(value: object) -> str | None:
    if isinstance(value, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        return value.lower()
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 0xFFFFFF:
        return f"#{value:06x}"
    return None
