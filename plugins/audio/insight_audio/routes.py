"""The HTTP side of the audio plugin: a clip as it was recorded, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from werkzeug import Request, Response

from insight_audio.decoder import Clips
from insight_audio.pictures import BANDS, envelope, spectrogram
from insight_audio.wav import read_wav
from insight_core.plugin import NotFound, PluginContext, ReasonKind, Route
from insight_core.plugin.data import RecordPlace
from insight_core.plugin.http import (
    Column,
    bytes_response,
    is_pinned,
    record_of,
    safetensors_response,
    whole_number,
)

_MOST = 1_000_000  # clips of a record
_UNKNOWN_CLIP = ReasonKind("audio_unknown_clip", "{place} has no clip {clip}: there are {count}")

_CODES = {404: (_UNKNOWN_CLIP.code,)}


def routes(ctx: PluginContext[Clips]) -> Sequence[Route]:
    """The sound of a record, and its picture."""
    views = _Views(ctx)
    reads = (whole_number("clip", 0, _MOST, 0), record_of(ctx.data, ctx.name))
    return [
        Route("/audio", views.audio, reads=reads, answers=["audio/wav"], codes=_CODES),
        Route("/picture", views.picture, reads=reads, answers=["application/octet-stream"], codes=_CODES),
    ]


@frozen
class _Views:
    ctx: PluginContext[Clips]

    def audio(self, request: Request, *, clip: int, place: RecordPlace) -> Response:
        """The WAV file; browsers seek in it with ranges (RFC 9110)."""
        clips = self._clips(place, clip)
        encoded = clips.encoded[clip]
        answer = bytes_response(encoded, "audio/wav", immutable=is_pinned(request))
        return answer.make_conditional(request, accept_ranges=True, complete_length=len(encoded))

    def picture(self, request: Request, *, clip: int, place: RecordPlace) -> Response:
        """``low`` and ``high`` of the waveform and ``spectrogram``, and what the file says of itself."""
        clips = self._clips(place, clip)
        try:
            wav = read_wav(clips.encoded[clip])
        except ValueError as error:
            raise place.undecodable(error) from error
        samples = wav.samples()
        low, high = envelope(samples)
        described = {
            "clips": len(clips.encoded),
            "label": clips.labels[clip],
            "rate": wav.rate,
            "channels": wav.channels,
            "bits": wav.bits,
            "frames": wav.frames,
            "bands": BANDS,
        }
        columns: dict[str, Column] = {"low": low, "high": high, "spectrogram": spectrogram(samples).ravel()}
        return safetensors_response(columns, "clip", described, immutable=is_pinned(request))

    def _clips(self, place: RecordPlace, clip: int) -> Clips:
        clips = self.ctx.values.at(place)
        if clip >= len(clips.encoded):
            count = len(clips.encoded)
            raise NotFound(_UNKNOWN_CLIP(place=str(place), clip=clip, count=count))
        return clips
