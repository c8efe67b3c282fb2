"""Reads WAV files: PCM of 8 to 32 bits and floating-point samples (RIFF, WAVEFORMATEXTENSIBLE)."""

from __future__ import annotations

import struct

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason, ReasonKind

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_STREAMED = 0xFFFFFFFF  # size that a writer leaves that cannot go back: everything that follows
_MOST_CHANNELS = 64
_FORMAT = ReasonKind(
    "audio_format", "the WAV file has samples of format {format} with {bits} bits, which is not supported"
)
_CHANNELS = ReasonKind("audio_channels", "the WAV file has {channels} channels at {rate} Hz")
_CUT = ReasonKind("audio_cut", "the WAV file is cut off: {size:,} bytes announced, {present:,} present")


@frozen
class Wav:
    """A WAV file: sample rate in Hz, bytes of its samples, and how they are encoded."""

    rate: int
    channels: int
    bits: int
    is_float: bool
    data: bytes

    @property
    def frames(self) -> int:
        """Number of samples of each channel."""
        return len(self.data) // (self.channels * self.bits // 8)

    def samples(self) -> NDArray[np.float32]:
        """The mean of all channels, from -1 to 1; samples that are not finite become 0. Shape (frames,)."""
        width = self.bits // 8
        data = self.data[: self.frames * self.channels * width]
        values: NDArray[np.float32]
        if self.is_float:
            values = np.frombuffer(data, f"<f{width}").astype(np.float32)
            values[~np.isfinite(values)] = 0
        elif width == 1:
            values = (np.frombuffer(data, np.uint8).astype(np.float32) - np.float32(128)) / np.float32(128)
        elif width == 3:
            parts = np.zeros((len(data) // 3, 4), np.uint8)
            parts[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
            values = parts.view("<i4")[:, 0].astype(np.float32) / np.float32(1 << 31)
        else:
            values = np.frombuffer(data, f"<i{width}").astype(np.float32) / np.float32(1 << (self.bits - 1))
        mean: NDArray[np.float32] = values.reshape(-1, self.channels).mean(axis=1, dtype=np.float32)
        return mean


def read_wav(data: bytes) -> Wav:
    """Reads a WAV file.

    Raises ValueError for other bytes, for unknown encodings and for a file that is cut off.
    """
    if len(data) < 12 or data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise ValueError(Reason("not a WAV file", "audio_not_wav"))
    at, form = 12, b""
    while at + 8 <= len(data):
        name, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        at += 8
        if name == b"data" and size == _STREAMED:
            size = len(data) - at
        if at + size > len(data):
            present = len(data) - at
            raise ValueError(_CUT(size=size, present=present))
        if name == b"fmt ":
            form = data[at : at + size]
        elif name == b"data":
            return _of(form, data[at : at + size])
        at += size + size % 2
    raise ValueError(Reason("the WAV file has no samples", "audio_no_samples"))


def _of(form: bytes, data: bytes) -> Wav:
    if len(form) < 16:
        raise ValueError(Reason("the WAV file has no format before its samples", "audio_no_format"))
    code, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", form)
    if code == _EXTENSIBLE and len(form) >= 26:
        code = int.from_bytes(form[24:26], "little")
    known = (code == _PCM and bits in (8, 16, 24, 32)) or (code == _FLOAT and bits in (32, 64))
    if not known:
        raise ValueError(_FORMAT(format=code, bits=bits))
    if not 1 <= channels <= _MOST_CHANNELS or rate == 0:
        raise ValueError(_CHANNELS(channels=channels, rate=rate))
    return Wav(rate, channels, bits, code == _FLOAT, data)
