"""The HTTP side of the 3D tab: shapes, the frame that compares them, PLY files, plain tensors of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen
from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, PluginContext, ReasonKind, Route, Values
from insight_core.plugin.data import RecordPlace, SeriesKey, ShownAttempts
from insight_core.plugin.http import (
    Column,
    Reader,
    attempts,
    bytes_response,
    choice,
    is_pinned,
    json_response,
    record_of,
    records_response,
    safetensors_response,
    series_key,
    text,
    texts,
    whole_number,
)
from insight_core.plugin.lab import RECORDS_READ
from insight_mesh.clouds import clouds_of, owner_of
from insight_mesh.frames import frame_of
from insight_mesh.parts import Part, boxes_of
from insight_mesh.scenes import scene_of
from insight_mesh.shapes import Shape3D, Shapes

MAX_RUNS = 100  # Runs of one frame.
_FORMAT = choice("format", ("json", "safetensors"))
_JSON, _BOTH = ("application/json",), ("application/json", "application/octet-stream")
_SHAPE_CODES = {400: ("mesh_sample",)}
_FRAME_CODES = {400: ("many_runs", "missing_parameter")}
_LAST_SAMPLE = (1 << 31) - 1
_MANY_RUNS = ReasonKind("many_runs", "run must name at most {most} runs, not {count}")
_MISSING_PARAMETER = ReasonKind("missing_parameter", "run is missing", "name")


def routes(ctx: PluginContext[Part]) -> Sequence[Route]:
    """Records, shapes, frames, PLY files and plain tensors of points; the host answers all other routes."""
    views = _Views(ctx, Shapes(ctx), ctx.values.derived(boxes_of))
    place = views.place()
    sample = whole_number("sample", 0, _LAST_SAMPLE, 0)
    reads_frame = (text("tag", required=True), attempts, texts("run").named("runs"))
    return [
        Route("/records", views.records, also_reads=RECORDS_READ, answers=_BOTH),
        Route("/shape", views.shape, reads=[_FORMAT, sample, place], answers=_BOTH, codes=_SHAPE_CODES),
        Route("/frame", views.frame, reads=reads_frame, answers=_JSON, codes=_FRAME_CODES),
        Route("/ply", views.ply, reads=[sample, place], answers=_BOTH[1:], codes=_SHAPE_CODES),
        Route("/clouds", views.clouds, answers=_JSON),
    ]


@frozen(eq=False)
class _Views:
    ctx: PluginContext[Part]
    shapes: Shapes
    boxes: Values[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]

    def records(self, request: Request) -> Response:
        """Steps, wall times and sizes of a series of points, also of plain tensors."""
        owner = owner_of(self.ctx.data, self.ctx.name, series_key.read(request))
        return records_response(request, self.ctx.data, owner)

    def shape(self, request: Request, *, format: str, sample: int, place: RecordPlace) -> Response:
        """Points, colours and triangles of one ``sample`` of a record, and what was left out."""
        shape = self.shapes.at(place, sample)
        described: dict[str, object] = {
            "step": place.step,
            "wall_time": place.wall_time,
            "sample": sample,
            "samples": shape.samples,
            "points": len(shape.vertices),
            "recorded_points": shape.recorded_points,
            "triangles": 0 if shape.faces is None else len(shape.faces),
            "recorded_triangles": shape.recorded_faces,
            "scene": self._scene(place),
            "notes": [note.fields() for note in shape.notes],
        }
        parts = _parts(shape)
        pinned = is_pinned(request)
        if format == "json":
            return json_response({**described, **parts}, immutable=pinned)
        columns: dict[str, Column] = {name: part.reshape(-1) for name, part in parts.items()}
        return safetensors_response(columns, "shape", described, immutable=pinned)

    def frame(self, request: Request, *, tag: str, attempts: ShownAttempts, runs: Sequence[str]) -> Response:
        """The box around the points of a tag in all runs asked for, over a sample of their steps."""
        runs = list(dict.fromkeys(runs))
        if len(runs) > MAX_RUNS:
            raise InvalidArgument(_MANY_RUNS(most=MAX_RUNS, count=len(runs)))
        if not runs:
            raise InvalidArgument(_MISSING_PARAMETER(name="run"))
        data = self.ctx.data
        series = [(owner_of(data, self.ctx.name, key), key) for key in (SeriesKey(run, tag) for run in runs)]
        frame = frame_of(data, series, self.boxes, attempts)
        return json_response(
            {"low": frame.box[0], "high": frame.box[1], "read": frame.read, "records": frame.records}
        )

    def ply(self, request: Request, *, sample: int, place: RecordPlace) -> Response:
        """All points and triangles of one ``sample`` of a record as a PLY file."""
        shape = self.shapes.at(place, sample, most_points=None)
        name = f"{place.key.tag.removesuffix('_VERTEX')}_{place.step}.ply"
        return bytes_response(ply_of(shape), "application/octet-stream", filename=name)

    def clouds(self, request: Request) -> Response:
        """Plain tensors of points, tags by run."""
        found: dict[str, list[str]] = {}
        for key in clouds_of(self.ctx.data).found():
            found.setdefault(key.run, []).append(key.tag)
        return json_response({"clouds": found})

    def place(self) -> Reader[RecordPlace]:
        """Reads a record, also of a plain tensor."""
        own = record_of(self.ctx.data, self.ctx.name)

        def read(request: Request) -> RecordPlace:
            owner = owner_of(self.ctx.data, self.ctx.name, series_key.read(request))
            return record_of(self.ctx.data, owner).read(request)

        return evolve(own, read=read)

    def _scene(self, place: RecordPlace) -> dict[str, object]:
        series = self.ctx.data.series(place.plugin, runs=[place.key.run], tags=[place.key.tag])
        return scene_of(series[0].content) if series else {}


def _parts(shape: Shape3D) -> dict[str, Column]:
    parts: dict[str, Column | None] = {
        "vertices": shape.vertices,
        "colors": shape.colors,
        "faces": shape.faces,
        "places": shape.places,
    }
    return {name: part for name, part in parts.items() if part is not None}


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
