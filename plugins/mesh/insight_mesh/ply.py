"""Writes shapes as PLY files, which programs for meshes open.

Format: https://paulbourke.net/dataformats/ply/
"""

from __future__ import annotations

from typing import Any

import numpy as np

from insight_mesh.shapes import Shape3D


def ply_of(shape: Shape3D) -> bytes:
    """The shape as a binary little-endian PLY file, coordinates in the precision of the shape."""
    points, faces = len(shape.vertices), shape.faces
    kind = "float" if shape.vertices.dtype == np.float32 else "double"
    columns: list[tuple[str, np.dtype[Any]]] = [
        (axis, shape.vertices.dtype.newbyteorder("<")) for axis in "xyz"
    ]
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {points}"]
    head += [f"property {kind} {axis}" for axis in "xyz"]
    if shape.colors is not None:
        columns += [(name, np.dtype(np.uint8)) for name in ("red", "green", "blue")]
        head += [f"property uchar {name}" for name in ("red", "green", "blue")]
    vertices = np.empty(points, columns)
    for number, axis in enumerate("xyz"):
        vertices[axis] = shape.vertices[:, number]
    for number, name in enumerate(("red", "green", "blue") if shape.colors is not None else ()):
        vertices[name] = shape.colors[:, number]  # type: ignore[index]
    triangles = np.empty(0 if faces is None else len(faces), [("count", "u1"), ("corners", "<i4", (3,))])
    if faces is not None:
        head += [f"element face {len(faces)}", "property list uchar int vertex_indices"]
        triangles["count"], triangles["corners"] = 3, faces
    head.append("end_header\n")
    return "\n".join(head).encode("ascii") + vertices.tobytes() + triangles.tobytes()
