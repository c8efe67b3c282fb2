"""The event files of one imported run: values that are appended, and facts of the run that are replaced."""

from __future__ import annotations

import os
import re
import shutil
import struct
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from insight_core.plugin import ReasonKind
from insight_core.plugin.lab import file_reference
from insight_core.plugin.payloads import ImageHeader, header_of
from insight_importers.cells import utf8
from insight_importers.facts import Facts, facts_values
from insight_importers.side_files import check_file, content_of, open_file
from insight_importers.step_order import StepOrder
from insight_record.encoders.common_kinds import image
from insight_record.encoders.encoder import EncodedValue
from insight_record.encoders.tensorboard import metadata
from insight_record.events import event, summary, version_record
from insight_record.formats.framing import pieces_record
from insight_record.formats.protobuf import Pieces, float_field, int_field, message_field, size_of, text_field
from insight_record.formats.tensor_messages import string_tensor
from insight_record.scalars import in_order, sealed_rows, steps_alike
from insight_record.values.tensors import number_value, strings_value

_VALUES, _FACTS = "events.out.tfevents.1.values", "events.out.tfevents.2.facts"
_VERSION = b"brain.Event:2"
_TAG = 1  # of a value
_NUMBER = 1.2345678901234567e-5  # of which the bytes are replaced by those of the values
_MARK = struct.pack("<d", _NUMBER)
_MOST_FILE = 64 << 20  # bytes
_IMAGE, _AUDIO, _TENSOR = 4, 6, 8  # of a value
_IMAGE_FILE = _AUDIO_FILE = 4  # of an image, a sound
_STRING = 8  # of a tensor
_SOUND = ReasonKind("importers_sound", "it is not a WAV file that can be played: {cause}")


def directory_of(kept: Mapping[str, Any]) -> str:
    """The directory of a run below that of its store."""
    return f"{int(kept['number']):06d}"


def is_whole(target: Path, kept: Mapping[str, Any]) -> bool:
    """Whether the files of a run have everything that was written before the last ``close``."""
    place, size = target / directory_of(kept), int(kept.get("size", 0))
    try:
        if size:
            info = os.stat(place / _VALUES)
            if info.st_size < size or info.st_ino != kept.get("inode"):  # records were taken out of it
                return False
        return StepOrder.is_whole(place, kept.get("order", {}))
    except OSError:
        return False


class ImportedRun:
    """Appends values to the event file of a run, which ends where the last ``close`` left it."""

    def __init__(self, target: Path, kept: Mapping[str, Any]) -> None:
        self.name, self._number = str(kept["name"]), int(kept["number"])
        self.facts = Facts.of(kept.get("facts", {}))
        self._place = target / directory_of(kept)
        self._begun: set[str] = set(kept.get("begun", ()))  # tags whose plugin is in the file
        self._size = int(kept.get("size", 0))
        self._written_facts = str(kept.get("written", ""))
        self._file: BinaryIO | None = None
        self._path = self._place / _VALUES
        self._order = StepOrder(self._place, kept.get("order", {}))

    def kept(self) -> dict[str, Any]:
        """Returns the state that a later process needs to go on, after ``close``."""
        return {
            "name": self.name,
            "number": self._number,
            "size": self._size,
            "inode": os.stat(self._path).st_ino if self._size else 0,
            "order": self._order.kept(),
            "begun": sorted(self._begun),
            "facts": self.facts.kept(),
            "written": self._written_facts,
        }

    def begin_session(self, number: int) -> None:
        """Numbers the session of the values that follow: a later one replaces all from its first step on."""
        self._order.session = number

    def scalars(self, tag: str, steps: ArrayLike, wall_times: ArrayLike, values: ArrayLike) -> None:
        """Appends numbers of one tag: columns of equal length. The numbers stay float64."""
        at = np.asarray(steps, np.int64)
        when, numbers = np.asarray(wall_times, np.float64), np.asarray(values, np.float64)
        if not tag or not len(at):
            return
        value = number_value(tag, _NUMBER, double=True)
        with_metadata = self._is_first(value)
        pieces: Pieces = []
        sizes = np.empty(0, np.int64)
        rest = slice(int(with_metadata), None)
        if with_metadata:
            pieces = _records(value, int(at[0]), float(when[0]), float(numbers[0]))
            sizes = np.array([size_of(pieces)])
        body = _body(value, with_metadata=False)
        encoded = b"".join(body)
        place = encoded.index(_MARK)
        field = np.frombuffer(encoded, np.uint8)
        groups = [
            (index, sealed_rows(field, [place], step_bytes, when[rest][index], numbers[rest][index, None]))
            for index, step_bytes in steps_alike(at[rest], np.arange(len(at[rest])))
        ]
        if groups:
            found = in_order(groups, len(at[rest]))
            pieces.append(found.data.data)
            sizes = np.concatenate((sizes, np.diff(found.ends, prepend=0)))
        self._add(tag, at, when, sizes, pieces)

    def text(self, tag: str, step: int, wall_time: float, text: str) -> None:
        """Appends a text, which is shown as Markdown."""
        data = text.encode("utf-8", "replace")
        self._value(strings_value(tag, [data], "text", shape=[1]), step, wall_time)

    def media(self, tag: str, step: int, wall_time: float, media_type: str, content: bytes) -> None:
        """Appends content of the tab Media: HTML, a table as CSV, a video."""
        value = strings_value(tag, [media_type.encode(), content], "media", shape=[2])
        self._value(value, step, wall_time)

    def media_file(self, tag: str, step: int, wall_time: float, media_type: str, path: str) -> None:
        """Refers to a file with content of the tab Media. Raises ValueError or OSError for a file that cannot
        be shown."""
        check_file(path, _MOST_FILE)
        tensor = string_tensor([media_type.encode()], [2]) + file_reference(_STRING, path)
        content = message_field(_TENSOR, tensor)
        value = EncodedValue(tag, "summary", len(content), lambda: [content], metadata("media"))
        self._value(value, step, wall_time)

    def picture(self, tag: str, step: int, wall_time: float, path: str) -> None:
        """Refers to an image file. Raises ValueError or OSError for a file that cannot be shown."""
        header = _header_at(path, os.stat(path).st_mtime_ns)
        size = int_field(1, header.height) + int_field(2, header.width) + int_field(3, header.channels)
        content = message_field(_IMAGE, size + file_reference(_IMAGE_FILE, path))
        self._value(EncodedValue(tag, "summary", len(content), lambda: [content]), step, wall_time)

    def picture_of(self, tag: str, step: int, wall_time: float, data: bytes) -> None:
        """Appends the content of an image file. Raises ValueError for one that cannot be shown."""
        for value in image(tag, data):
            self._value(value, step, wall_time)

    def sound(self, tag: str, step: int, wall_time: float, path: str) -> None:
        """Refers to a WAV file. Raises ValueError or OSError for one that cannot be played."""
        check_file(path, _MOST_FILE)
        import wave  # loaded with the first sound

        try:
            with open_file(path) as file, wave.open(file) as sound:
                numbers = (sound.getframerate(), sound.getnchannels(), sound.getnframes())
        except (wave.Error, EOFError) as error:
            raise ValueError(_SOUND(cause=str(error) or "it is cut")) from None
        content = float_field(1, numbers[0]) + int_field(2, numbers[1]) + int_field(3, numbers[2])
        content = message_field(
            _AUDIO, content + file_reference(_AUDIO_FILE, path) + text_field(5, "audio/wav")
        )
        self._value(EncodedValue(tag, "summary", len(content), lambda: [content]), step, wall_time)

    def value(self, value: EncodedValue, step: int, wall_time: float) -> None:
        """Appends any value of a summary."""
        self._value(value, step, wall_time)

    def close(self, *, settles: bool = True) -> None:
        """Writes facts that have changed, and closes the files.

        ``settles``: values whose steps did not come in order are written too, at the cost of all such values
        of the run.
        """
        if self._file is not None:
            self._file.close()
            self._file = None
        if settles and not self._order.is_settled:
            self._size = self._order.settle(self._path, self._size)
        self._write_facts()

    def remove(self) -> None:
        """Deletes the files."""
        if self._file is not None:
            self._file.close()
            self._file = None
        shutil.rmtree(self._place, ignore_errors=True)

    def _value(self, value: EncodedValue, step: int, wall_time: float) -> None:
        body = _body(value, with_metadata=self._is_first(value))
        pieces = pieces_record([event(step, wall_time), *body])
        columns = np.array([step], np.int64), np.array([wall_time], np.float64), np.array([size_of(pieces)])
        self._add(value.tag, *columns, pieces)

    def _is_first(self, value: EncodedValue) -> bool:
        """Whether the tag is not in the file yet."""
        is_first = value.tag not in self._begun
        self._begun.add(value.tag)
        return is_first

    def _add(
        self,
        tag: str,
        steps: NDArray[np.int64],
        wall_times: NDArray[np.float64],
        sizes: NDArray[np.int64],
        records: Pieces,
    ) -> None:
        """Appends records of one tag, of these sizes in bytes, or keeps them to be put in order."""
        if self._order.is_late(tag, steps, wall_times):
            self._order.keep(tag, steps, wall_times, sizes, records)
            return
        self._append(records)
        self._order.appended(tag, self._size - int(sizes.sum()), self._size)

    def _append(self, records: Pieces) -> None:
        if self._file is None:
            self._place.mkdir(exist_ok=True)
            self._file = open(self._path, "ab")  # noqa: SIM115 - closed by ``close``
            self._file.truncate(self._size)  # what came after the last state is translated again
            if not self._size:
                first = version_record(_VERSION, time.time())
                self._file.write(first)
                self._size = len(first)
        for piece in records:
            self._file.write(piece)
        self._size += size_of(records)

    def _write_facts(self) -> None:
        """Replaces the second file of the run if the facts are others than those in it."""
        text = self.facts.text()
        path = self._place / _FACTS
        if text == self._written_facts and path.exists():
            return
        self._place.mkdir(exist_ok=True)
        # without a time of its own it would count as the beginning of the run
        when = self.facts.started or time.time()
        pieces: Pieces = [version_record(_VERSION, when)]
        for value in facts_values(self.facts):
            pieces += pieces_record([event(0, when), *_body(value, with_metadata=True)])
        for tag, content in self.facts.texts.items():
            value = strings_value(tag, [fenced(content).encode("utf-8", "replace")], "text", shape=[1])
            body = _body(value, with_metadata=True)
            pieces += pieces_record([event(self.facts.last_step, self.facts.ended or when), *body])
        for tag, number in self.facts.results.items():
            value = number_value(tag, _NUMBER, double=True)
            pieces += _records(value, self.facts.last_step, self.facts.ended or when, number)
        temporary = path.with_name("new")
        temporary.write_bytes(b"".join(pieces))
        os.replace(temporary, path)
        self._written_facts = text


@lru_cache(maxsize=1024)  # a value may name a picture often
def _header_at(path: str, mtime_ns: int) -> ImageHeader:
    return header_of(content_of(path, _MOST_FILE))


def _body(value: EncodedValue, *, with_metadata: bool) -> Pieces:
    """The field of an event with this value."""
    metadata = value.metadata if with_metadata else b""
    return summary([text_field(_TAG, utf8(value.tag)) + metadata, *value.encode()])


def _records(value: EncodedValue, step: int, wall_time: float, number: float) -> Pieces:
    """One record with a number instead of the placeholder."""
    encoded = b"".join(_body(value, with_metadata=True))
    return pieces_record([event(step, wall_time), encoded.replace(_MARK, struct.pack("<d", number), 1)])


def fenced(text: str) -> str:
    """A text as it stands, in Markdown."""
    longest = max((len(one) for one in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
