"""The HTTP side of the audio plugin: a clip as it was recorded, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_audio.decoder import Clips
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
COLUMNS = 600  # of a waveform and of a spectrogram, at most
WINDOW = 512  # samples of a column of a spectrogram
BANDS = WINDOW // 4  # of frequency, evenly from 0 Hz to half the sample rate
FLOOR = -90.0  # dB below full scale that are drawn as nothing


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


def envelope(samples: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Lowest and highest sample of each column. Shape (min(frames, COLUMNS),) each."""
    if len(samples) == 0:
        return samples, samples
    starts = np.linspace(0, len(samples), min(len(samples), COLUMNS), endpoint=False).astype(np.intp)
    return np.minimum.reduceat(samples, starts), np.maximum.reduceat(samples, starts)


def spectrogram(samples: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Loudness from FLOOR dB (0) to full scale (255). Shape (columns, BANDS), the lowest band first.

    Columns are Hann windows at even distances; short clips are padded with silence.
    """
    if len(samples) == 0:
        return np.empty((0, BANDS), np.uint8)
    padded = np.pad(samples, WINDOW // 2)
    count = min(COLUMNS, max(1, len(samples) // (WINDOW // 4)))
    centres = np.linspace(0, len(samples) - 1, count).astype(np.intp)
    window = np.hanning(WINDOW).astype(np.float32)
    rows = padded[centres[:, None] + np.arange(WINDOW)] * window
    sizes = np.abs(np.fft.rfft(rows, axis=1)[:, 1:]) * (2 / window.sum())
    bands = sizes.reshape(count, BANDS, 2).max(axis=2)
    decibels = 20 * np.log10(np.maximum(bands, 1e-9))
    loudness: NDArray[np.uint8] = (np.clip((decibels - FLOOR) / -FLOOR, 0, 1) * 255).astype(np.uint8)
    return loudness
