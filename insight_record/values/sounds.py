"""Sounds as WAV files of 16 bits."""

from __future__ import annotations

import io
import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_record.arrays import numbers_of
from insight_record.encoders.encoder import EncodedValue
from insight_record.formats.protobuf import float_field, int_field, message_field, text_field

log = logging.getLogger(__name__)

_AUDIO = 6  # of a value
_RATE, _CHANNELS, _FRAMES, _FILE, _TYPE = 1, 2, 3, 4, 5  # of an Audio
_LARGEST = np.iinfo(np.int16).max


def sound(tag: str, value: object, sample_rate: int) -> EncodedValue:
    """Numbers from -1 to 1: one channel [n] or [1, n], or [n, 2]. Others are clipped, with a warning.

    Raises ValueError or TypeError for other shapes and types.
    """
    frames = _frames(numbers_of(value))
    rate = int(sample_rate)
    if rate < 1:
        raise ValueError(f"sample_rate is 1 or more, not {sample_rate!r}")
    numbers = np.nan_to_num(frames.astype(np.float64, copy=False), nan=0.0)
    if np.abs(numbers).max() > 1:
        log.warning("audio %r: samples beyond -1 to 1 are clipped", tag)
        numbers = numbers.clip(-1, 1)
    samples = (numbers * _LARGEST).astype("<i2")
    count, channels = samples.shape

    def encode() -> list[bytes | memoryview]:
        import wave  # loaded with the first sound

        out = io.BytesIO()
        with wave.open(out, "wb") as file:
            file.setnchannels(channels)
            file.setsampwidth(2)
            file.setframerate(rate)
            file.writeframes(samples.tobytes())
        content = float_field(_RATE, rate) + int_field(_CHANNELS, channels) + int_field(_FRAMES, count)
        content += message_field(_FILE, out.getvalue()) + text_field(_TYPE, "audio/wav")
        return [message_field(_AUDIO, content)]

    return EncodedValue(tag, "summary", samples.nbytes, encode)


def _frames(array: NDArray[Any]) -> NDArray[Any]:
    """[n, channels]."""
    if not array.size:
        raise ValueError("a sound without samples")
    if max(array.shape, default=1) == array.size:  # one channel, in whatever shape
        return array.reshape(-1, 1)
    if array.ndim == 2 and array.shape[1] == 2:
        return array
    raise ValueError(f"a sound is [n], [1, n] or [n, 2], not {list(array.shape)}")
