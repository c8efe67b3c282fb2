"""Puts a shape together: points, and the triangles and colours that were recorded with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument, NotFound, PluginContext, Reason, ReasonKind, Undecodable
from insight_core.plugin.data import RecordPlace, SeriesKey, place_in
from insight_core.plugin.payloads import TensorHeader, tensor_header
from insight_mesh.clouds import sibling
from insight_mesh.parts import Part, is_part

MOST_POINTS = 1_000_000  # Points of an answer; more of a cloud are thinned out.
MOST_FACES = 2_000_000  # Triangles of an answer; a shape with more is shown by its points.
_HEAD = 1024  # bytes of a payload: type and shape stand at its begin
_LEFT_OUT = {"FACE": ("mesh_no_faces", "triangles"), "COLOR": ("mesh_no_colors", "colours")}

Floats = NDArray[np.float32] | NDArray[np.float64]
_SAMPLE = ReasonKind("mesh_sample", "sample must be less than {samples}, not {sample}")
_NOT_FINITE = ReasonKind("mesh_not_finite", "points without finite coordinates: {count:,}")
_MANY_FACES = ReasonKind(
    "mesh_many_faces", "{points:,} points and {count:,} triangles are more than can be drawn"
)
_CORNERS = ReasonKind("mesh_corners", "triangles with a corner that is not a point: {count:,}")
_COLOR_COUNT = ReasonKind("mesh_color_count", "{count:,} colours for {points:,} points")


@frozen(eq=False)
class Shape3D:
    """A cloud of points or, with faces, a mesh.

    ``vertices`` (n, 3) in the precision in which they were recorded, all finite. ``colors`` (n, 3) uint8:
    red, green and blue. ``faces`` (m, 3) int32, indices of vertices. ``places`` (n,) int32 are the rows of
    the recorded tensor that the vertices were, None if they are all. ``recorded_points`` and
    ``recorded_faces`` count those of the tensors; ``notes`` say what was left out and why.
    """

    vertices: Floats
    colors: NDArray[np.uint8] | None
    faces: NDArray[np.int32] | None
    places: NDArray[np.int32] | None
    samples: int
    recorded_points: int
    recorded_faces: int
    notes: tuple[Reason, ...]


@frozen(eq=False)
class Shapes:
    """Shapes of records of points."""

    ctx: PluginContext[Part]

    def at(self, place: RecordPlace, sample: int = 0, *, most_points: int | None = MOST_POINTS) -> Shape3D:
        """Reads one sample of a record. ``most_points`` None: all points, and all faces that can be drawn.

        Raises InvalidArgument for a sample that does not exist, Undecodable for points that cannot be read.
        Faces and colours that cannot be read are left out with a note.
        """
        part = self.ctx.values.at(place)
        samples = len(part.values)
        if sample >= samples:
            raise InvalidArgument(_SAMPLE(samples=samples, sample=sample))
        points = part.values[sample]
        notes: list[Reason] = []
        faces, recorded_faces = self._faces(place, sample, len(points), notes, most_points)
        colors = self._colors(place, sample, len(points), notes)
        kept = np.isfinite(points).all(axis=1) if points.dtype.kind == "f" else np.ones(len(points), bool)
        if not kept.all():
            count = len(points) - int(kept.sum())
            notes.append(_NOT_FINITE(count=count))
        if faces is not None:
            faces = _renumbered(faces[kept[faces].all(axis=1)], kept)
        chosen = np.flatnonzero(kept)
        if most_points is not None and len(chosen) > most_points:
            chosen = chosen[np.linspace(0, len(chosen) - 1, most_points).round().astype(np.intp)]
        whole = len(chosen) == len(points)
        return Shape3D(
            _floats(points if whole else points[chosen]),
            colors if whole or colors is None else colors[chosen],
            faces,
            None if whole else chosen.astype(np.int32),
            samples,
            len(points),
            recorded_faces,
            tuple(notes),
        )

    def _faces(
        self, place: RecordPlace, sample: int, points: int, notes: list[Reason], most_points: int | None
    ) -> tuple[NDArray[np.int32] | None, int]:
        """The faces whose corners are all there, and how many were recorded."""

        def affordable(shape: tuple[int, ...]) -> None:
            count = shape[-2]
            if most_points is not None and (count > MOST_FACES or points > most_points):
                raise ValueError(_MANY_FACES(points=points, count=count))

        found = self._sibling(place, "FACE", sample, notes, affordable)
        if found is None:
            return None, 0
        rows, recorded = found
        if rows is None or recorded == 0:
            return None, recorded
        inside = ((rows >= 0) & (rows < points)).all(axis=1)  # NaN is not
        if rows.dtype.kind == "f":
            inside &= (rows == np.floor(rows)).all(axis=1)
        if not inside.all():
            count = recorded - int(inside.sum())
            notes.append(_CORNERS(count=count))
        return rows[inside].astype(np.int32), recorded

    def _colors(
        self, place: RecordPlace, sample: int, points: int, notes: list[Reason]
    ) -> NDArray[np.uint8] | None:
        def fits(shape: tuple[int, ...]) -> None:
            if shape[-2] != points:
                raise ValueError(_COLOR_COUNT(count=shape[-2], points=points))

        found = self._sibling(place, "COLOR", sample, notes, fits)
        if found is None or found[0] is None:
            return None
        colors = found[0]
        if colors.dtype.kind == "f":
            colors = np.nan_to_num(colors, nan=0.0, posinf=255.0, neginf=0.0)
            if len(colors) and colors.max() <= 1 and (colors != np.floor(colors)).any():
                notes.append(Reason("colours from 0 to 1, not to 255", "mesh_color_range"))
                colors = colors * 255
        clipped: NDArray[np.uint8] = np.clip(colors, 0, 255).astype(np.uint8)
        return clipped

    def _sibling(
        self,
        place: RecordPlace,
        name: str,
        sample: int,
        notes: list[Reason],
        check: Callable[[tuple[int, ...]], None],
    ) -> tuple[NDArray[Any] | None, int] | None:
        """Rows of the part that was recorded at the step of ``place``, and how many; None without one.

        Where several records have this step, those of equal rank belong together. No rows, and a note: they
        cannot be read, or ``check`` raised ValueError for their shape.
        """
        tag = sibling(place.key.tag, name)
        if tag is None:
            return None
        data, key, count = self.ctx.data, SeriesKey(place.key.run, tag), 0
        try:
            table = data.records(place.plugin, key, place.attempts)
        except NotFound:
            return None
        points = data.records(place.plugin, place.key, place.attempts)
        rank = int(np.count_nonzero(points.steps[: place.index] == place.step))
        same = np.flatnonzero(table.steps == place.step)
        if rank >= len(same):
            return None
        try:
            index = int(same[rank])
            payload = data.payload(place.plugin, key, index, place.attempts, limit=_HEAD)
            header: TensorHeader = tensor_header(payload)
            if is_part(header.shape):
                count = header.shape[-2]
                check(header.shape)
            part = self.ctx.values.at(place_in(table, place.plugin, key, index, place.attempts))
            if sample >= len(part.values):
                text = f"sample {sample} of {len(part.values)}"
                raise ValueError(Reason(text, "mesh_sample", samples=len(part.values), sample=sample))
        except (Undecodable, ValueError) as error:
            reason = Reason.of(error)
            code, word = _LEFT_OUT[name]
            notes.append(Reason(f"{word} are not shown: {reason}", code, cause=reason))
            return None, count
        return part.values[sample], count


def _renumbered(faces: NDArray[np.int32], kept: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Indices of vertices after those that are not kept are gone."""
    if kept.all():
        return faces
    return (np.cumsum(kept) - 1).astype(np.int32)[faces]


def _floats(points: NDArray[Any]) -> Floats:
    """In float32 if it holds the values exactly, else in float64."""
    is_narrow = points.dtype.itemsize <= (4 if points.dtype.kind == "f" else 2)
    return np.ascontiguousarray(points, np.float32) if is_narrow else np.ascontiguousarray(points, np.float64)
