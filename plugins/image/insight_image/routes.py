"""The HTTP side of the image plugin."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

from attrs import field, frozen
from werkzeug import Request, Response

from insight_core.plugin import NotFound, PluginContext, Reason, ReasonKind, Route, Undecodable
from insight_core.plugin.data import RecordPlace
from insight_core.plugin.http import bytes_response, flag, is_pinned, json_response, record_of, whole_number
from insight_core.plugin.payloads import ImageHeader, header_of
from insight_image.decoder import MAX_PICTURES, Pictures

MAX_SHOWN_PIXELS = 1 << 27  # of a picture that is given to a browser: 512 MiB when it has decoded it
MAX_SIZE = 512  # pixels of a thumbnail each way
_SIZE = 256
_SAMPLE = ReasonKind("image_sample", "sample {sample}: {cause}")
_DAMAGED = ReasonKind("image_damaged", "the {format} file is cut off or damaged")
_UNKNOWN_SAMPLE = ReasonKind("image_unknown_sample", "{place} has no sample {index}: there are {count}")

_ANY = ("*/*", "application/octet-stream")
_CODES = {404: (_UNKNOWN_SAMPLE.code,)}


def routes(ctx: PluginContext[Pictures]) -> Sequence[Route]:
    """Picture, header and thumbnail of a record."""
    views = _Views(ctx)
    reads = (whole_number("sample", 0, MAX_PICTURES, 0), record_of(ctx.data, ctx.name))
    size = whole_number("size", 1, MAX_SIZE, _SIZE)
    return [
        Route("/image", views.image, reads=[*reads, flag("download")], answers=_ANY, codes=_CODES),
        Route("/info", views.info, reads=reads, answers=["application/json"], codes=_CODES),
        Route("/thumbnail", views.thumbnail, reads=[size, *reads], answers=["image/png"], codes=_CODES),
    ]


@frozen
class _Sample:
    """One picture of a record."""

    place: RecordPlace
    pictures: Pictures
    index: int

    @property
    def encoded(self) -> bytes:
        return self.pictures.encoded[self.index]

    def undecodable(self, cause: object) -> Undecodable:
        reason = Reason.of(cause)
        if len(self.pictures.encoded) > 1:
            reason = _SAMPLE(sample=self.index, cause=reason)
        return self.place.undecodable(reason)


def _one_processor_free() -> threading.Semaphore:
    return threading.Semaphore(max(1, (os.cpu_count() or 1) - 1))


@frozen
class _Views:
    ctx: PluginContext[Pictures]
    at_once: threading.Semaphore = field(factory=_one_processor_free)

    def image(self, request: Request, *, sample: int, place: RecordPlace, download: bool) -> Response:
        chosen = self._sample(place, sample)
        if download:
            return self._download(chosen, is_pinned(request))
        header = _header(chosen)
        if header.pixels > MAX_SHOWN_PIXELS:
            text = f"the picture has {header.width:,} x {header.height:,} pixels, more than a browser shows"
            size = {"width": header.width, "height": header.height}
            raise chosen.undecodable(Reason(text, "image_beyond_browsers", **size))
        if not header.whole:
            raise chosen.undecodable(_DAMAGED(format=header.name))
        return bytes_response(chosen.encoded, header.mimetype, immutable=is_pinned(request))

    def info(self, request: Request, *, sample: int, place: RecordPlace) -> Response:
        chosen = self._sample(place, sample)
        header = _header(chosen)
        pictures = chosen.pictures
        return json_response(
            {
                "step": place.step,
                "wall_time": place.wall_time,
                "samples": len(pictures.encoded),
                "mimetype": header.mimetype,
                "width": header.width,
                "height": header.height,
                "channels": header.channels,
                "size": len(chosen.encoded),
                "whole": header.whole,
                "written": {
                    "width": pictures.width,
                    "height": pictures.height,
                    "channels": pictures.channels,
                },
            },
            immutable=is_pinned(request),
        )

    def thumbnail(self, request: Request, *, size: int, sample: int, place: RecordPlace) -> Response:
        from insight_image.thumbnails import thumbnail  # Pillow is slow to load, and many never need it

        chosen = self._sample(place, sample)
        header = _header(chosen)
        try:
            with self.at_once:
                small = thumbnail(chosen.encoded, header, size)
        except ValueError as error:
            raise chosen.undecodable(error) from error
        return bytes_response(small, "image/png", immutable=is_pinned(request))

    def _sample(self, place: RecordPlace, index: int) -> _Sample:
        pictures = self.ctx.values.at(place)
        if index >= len(pictures.encoded):
            count = len(pictures.encoded)
            raise NotFound(_UNKNOWN_SAMPLE(place=str(place), index=index, count=count))
        return _Sample(place, pictures, index)

    def _download(self, sample: _Sample, immutable: bool) -> Response:
        """Whatever the bytes are: who saves them wants to look himself."""
        try:
            header = header_of(sample.encoded)
            mimetype, suffix = header.mimetype, header.suffix
        except ValueError:
            mimetype, suffix = "application/octet-stream", "bin"
        place = sample.place
        name = f"{place.key.run}_{place.key.tag}_{place.step}"
        if len(sample.pictures.encoded) > 1:
            name += f"_{sample.index}"
        return bytes_response(sample.encoded, mimetype, filename=f"{name}.{suffix}", immutable=immutable)


def _header(sample: _Sample) -> ImageHeader:
    try:
        return header_of(sample.encoded)
    except ValueError as error:
        raise sample.undecodable(error) from error
