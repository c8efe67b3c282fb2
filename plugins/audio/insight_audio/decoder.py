"""Decodes audio summaries: one encoded clip, or a tensor of clips with labels."""

from __future__ import annotations

from attrs import frozen

from insight_core.plugin import Reason, ReasonKind, SummaryPlugin
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import LENGTH_DELIMITED, fields, tensor_of

_NO_CLIPS = Reason("the record has no clips", "audio_no_clips")
_ENCODED = 4  # field number in the message Summary.Audio
_NOT_ENCODED = ReasonKind("audio_not_encoded", "the tensor holds values of type {type}, not encoded audio")


@frozen
class Clips:
    """The encoded clips of one record, such as WAV files, and a label for each; labels may be empty."""

    encoded: tuple[bytes, ...]
    labels: tuple[str, ...]


def clips_of(payload: Payload) -> Clips:
    """Reads a string tensor of clips, or of rows of clip and label, or a ``Summary.Audio``.

    Raises ValueError for bytes that are neither, and for a record without clips.
    """
    if not isinstance(payload.claim, SummaryPlugin):
        return _message(payload.data)
    tensor = tensor_of(payload)
    if tensor.values.dtype != object:
        raise ValueError(_NOT_ENCODED(type=str(tensor.dtype)))
    if tensor.values.size == 0:
        raise ValueError(_NO_CLIPS)
    if tensor.values.ndim > 1 and tensor.shape[-1] == 2:
        rows = tensor.values.reshape(-1, 2)
        return Clips(tuple(rows[:, 0]), tuple(label.decode("utf-8", "replace") for label in rows[:, 1]))
    return Clips(tuple(tensor.values.flat), ("",) * tensor.values.size)


def _message(data: bytes) -> Clips:
    encoded = None
    for number, kind, start, end, _ in fields(data):
        if (number, kind) == (_ENCODED, LENGTH_DELIMITED):
            encoded = data[start:end]
    if encoded is None:
        raise ValueError(_NO_CLIPS)
    return Clips((encoded,), ("",))


def described(clips: Clips) -> object:
    """Size in bytes and label of each clip."""
    return [
        {"size": len(encoded), "label": label}
        for encoded, label in zip(clips.encoded, clips.labels, strict=True)
    ]
