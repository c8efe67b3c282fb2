"""Texts, pictures and hyperparameters of log formats: the host keeps them in event files of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np
from attrs import evolve

from insight_core.formats.batch import Batch, Flaw, unreadable
from insight_core.formats.file_references import file_reference
from insight_core.ingest.fetching import Fetch, opened
from insight_core.ingest.locked_directory import ValueFiles
from insight_core.ingest.scanner.scanner import open_scanner
from insight_core.plugin import Dialect, HyperParameters, Images, Texts
from insight_record.encoders.encoder import EncodedValue
from insight_record.encoders.tensorboard import TENSORBOARD
from insight_record.events import event, summary, version_record
from insight_record.formats.framing import pieces_record
from insight_record.formats.image_headers import header_of
from insight_record.formats.protobuf import Pieces, int_field, message_field, text_field
from insight_record.formats.reason import Reason, ReasonKind

_TAG = 1  # of a value
_IMAGE, _IMAGE_FILE = 4, 4  # of a value, of an image
_HEADER = 1 << 20  # bytes that tell the size of a picture
_NO_PICTURE = ReasonKind("logged_picture", "the picture of {tag!r} at step {step} cannot be shown: {cause}")
_OUTSIDE = Reason("its file is not below the directory of the log", "logged_picture_outside")


class LogValues:
    """The values of one log file, in an event file. For one thread at a time."""

    def __init__(self, files: ValueFiles, source: str, fetch: Fetch | None = None) -> None:
        """``source`` is the path of the log file; ``fetch`` brings pictures of remote logdirs."""
        self._fetch = fetch
        self._files = files
        self._directory = os.path.dirname(os.path.abspath(source))
        # several files of a run have hyperparameters: those of one do not replace the others'
        self._source = os.path.join(os.path.basename(self._directory), os.path.basename(source))
        self.path = ""  # of the event file, once there are values
        self._size = 0
        self._begun: set[str] = set()  # tags whose metadata are in the file
        self._hyperparameters: dict[bytes, bytes] = {}  # that were written, as they are encoded
        self._scanner = open_scanner(Dialect.TENSORBOARD)

    def kept(self) -> str:
        """What a later process needs to go on with the event file, as JSON; empty without any values."""
        if not self._size:
            return ""
        given = {name.hex(): entry.hex() for name, entry in self._hyperparameters.items()}
        name = os.path.basename(self.path)
        return json.dumps({"name": name, "size": self._size, "begun": sorted(self._begun), "given": given})

    def resume(self, kept: str) -> bool:
        """Goes on with the event file of an earlier process; False if it is not here any more."""
        told = json.loads(kept)
        path = self._files.again(told["name"])
        if path is None:
            return False
        self.path, self._size, self._begun = path, told["size"], set(told["begun"])
        given = told["given"].items()
        self._hyperparameters = {bytes.fromhex(name): bytes.fromhex(entry) for name, entry in given}
        if os.stat(path).st_size >= self._size:
            return True
        self.discard()
        return False

    def discard(self) -> None:
        """Deletes the event file; this object is not used any more."""
        if self.path:
            self._files.delete(self.path)

    def add(self, items: Sequence[Texts | Images | HyperParameters], offset: int) -> list[Batch]:
        """Appends the values; they come as a scan of the event file gives them.

        A picture that cannot be shown is a flaw at ``offset`` of the log. Raises OSError, and ValueError or
        TypeError for items that are not what they should be.
        """
        flaws: list[Flaw] = []
        before = set(self._begun), dict(self._hyperparameters)
        try:
            records = [record for item in items for record in self._records(item, offset, flaws)]
            batches = [evolve(batch, flaws=[]) for batch in self._written(records)] if records else []
        except BaseException:  # nothing of these items counts: the log is read again from here
            self._begun, self._hyperparameters = before
            raise
        if flaws:
            batches.append(Batch(0, Dialect.TENSORBOARD, flaws=flaws))
        return batches

    def _records(
        self, item: Texts | Images | HyperParameters, offset: int, flaws: list[Flaw]
    ) -> Iterator[Pieces]:
        if isinstance(item, HyperParameters):
            values = TENSORBOARD.values("hparams", "hparams", item.values)
            for value in TENSORBOARD.joined(values, self._hyperparameters):
                yield self._record(value._replace(tag=f"{value.tag}/{self._source}"), 0, np.nan)
            return
        given = item.texts if isinstance(item, Texts) else item.images
        if isinstance(given, (str, bytes)):
            raise TypeError(f"what {item.tag!r} has is one {type(given).__name__}, not a list")
        for content, step, wall_time in zip(given, *_columns(item, len(given)), strict=True):
            try:
                values = self._encoded(item, content)
            except OSError as error:
                flaws.append(Flaw(offset, _NO_PICTURE(tag=item.tag, step=step, cause=unreadable(error))))
                continue
            except ValueError as error:
                flaws.append(Flaw(offset, _NO_PICTURE(tag=item.tag, step=step, cause=Reason.of(error))))
                continue
            for value in values:
                yield self._record(value, step, wall_time)

    def _encoded(self, item: Texts | Images, content: str | bytes | os.PathLike[str]) -> list[EncodedValue]:
        if isinstance(item, Texts):
            if not isinstance(content, str):
                raise TypeError(f"a text of {item.tag!r} is a {type(content).__name__}, not a str")
            return TENSORBOARD.values("text", item.tag, content.encode("utf-8", "replace").decode())
        if isinstance(content, (bytes, bytearray, memoryview)):
            return TENSORBOARD.values("image", item.tag, bytes(content))
        if not isinstance(content, (str, os.PathLike)):
            raise TypeError(f"a picture of {item.tag!r} is a {type(content).__name__}, not bytes or a path")
        path = os.path.realpath(os.path.join(self._directory, content))
        if not path.startswith(os.path.join(os.path.realpath(self._directory), "")):
            raise ValueError(_OUTSIDE)
        with opened(path, self._fetch) as file:
            header = header_of(file.read(_HEADER))
        size = int_field(1, header.height) + int_field(2, header.width) + int_field(3, header.channels)
        message = message_field(_IMAGE, size + file_reference(_IMAGE_FILE, path))
        return [EncodedValue(item.tag, "summary", len(message), lambda: [message])]

    def _record(self, value: EncodedValue, step: int, wall_time: float) -> Pieces:
        metadata = value.metadata if value.tag not in self._begun else b""
        self._begun.add(value.tag)
        tag = value.tag.encode("utf-8", "backslashreplace").decode()
        body = summary([text_field(_TAG, tag) + metadata, *value.encode()])
        return pieces_record([event(step, wall_time), *body])

    def _written(self, records: Sequence[Pieces]) -> Iterator[Batch]:
        if not self.path:
            self.path = self._files.new()
        if not self._size:
            records = [[version_record(TENSORBOARD.version, np.nan)], *records]
        position = self._size
        with open(self.path, "ab+", buffering=0) as file:
            file.truncate(position)  # of an attempt that failed
            _write(file, b"".join(piece for record in records for piece in record))
            size = file.tell()
            while position < size:
                batch = self._scanner.scan(file.fileno(), position, size)
                if batch.end == position:
                    raise ValueError(f"what was written of {os.path.basename(self.path)} cannot be read")
                position = batch.end
                yield batch
        self._size = size


def _columns(item: Texts | Images, count: int) -> tuple[list[int], list[float]]:
    steps = np.asarray(item.steps)
    wall_times = np.full(count, np.nan) if item.wall_times is None else np.asarray(item.wall_times)
    if not isinstance(item.tag, str) or not item.tag:
        raise TypeError(f"{item.tag!r} is not a tag")
    if steps.shape != (count,) or wall_times.shape != (count,):
        raise ValueError(f"the columns of {item.tag!r} are not equally long")
    if count and (steps.dtype.kind not in "iub" or wall_times.dtype.kind not in "iubf"):
        raise TypeError(f"the steps and wall times of {item.tag!r} are not numbers")
    return steps.astype(np.int64).tolist(), wall_times.astype(np.float64).tolist()


def _write(file: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
