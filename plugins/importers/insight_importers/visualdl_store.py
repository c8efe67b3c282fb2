"""Translates ``vdlrecords.*.log`` of VisualDL: a length of eight bytes before each protobuf message."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from insight_core.plugin import Flaw, Reason, ReasonKind, Translation
from insight_core.plugin.payloads import MessageTypes
from insight_importers.block_log import CUT, ZEROS
from insight_importers.cells import cell_of
from insight_importers.imported_run import ImportedRun
from insight_importers.media import MediaFiles, histogram_of_counts
from insight_importers.series_buffer import SeriesBuffer
from insight_importers.side_files import mark_before, open_file
from insight_importers.translated_runs import TranslatedRuns
from insight_record.encoders.encoder import EncodedValue
from insight_record.formats.protobuf import int_field, message_field
from insight_record.values.tensors import tensor_value

_CHUNK = 2 << 20  # bytes of a call
_LONGEST = 256 << 20  # bytes of a record
_SIZE = 8
_AUDIO = 6  # of a value of a summary, whose message is equal to VisualDL's
_FIRST_TAG = "meta_data_tag"
_LEAST_MS = 100_000_000_000  # in 1973; as seconds it would be in the year 5138
_THRESHOLDS = 2  # of the plugin data of PR curves
_MOST_UNSHOWN = 100  # tags in notes
_KEY = "run"
_UNEVEN = Reason("the columns of a curve are not equally long", "importers_curve")
_TYPES = MessageTypes(Path(__file__).with_name("visualdl.binpb"))
_LOG_RECORD = ReasonKind(
    "importers_log_record", "a record of VisualDL's log is not a protobuf message", "tracker"
)
_VISUALDL_EMBEDDINGS = ReasonKind(
    "importers_visualdl_embeddings",
    "{tag!r}: embeddings of VisualDL are not shown; write them with add_embedding of insight_record or "
    "PyTorch, as files of TensorBoard's projector",
)
_VISUALDL_KIND = ReasonKind("importers_visualdl_kind", "{tag!r} has values of a kind that is not known")


def translate(source: str, target: Path) -> Translation:
    """Reads some MiB more of the log."""
    made = TranslatedRuns(target)
    with open_file(source) as file:
        info = os.fstat(file.fileno())
        if not made.state or made.state["mark"] != mark_before(source, made.state["offset"]):
            made.start_anew()
            made.state = {"offset": 0}
        offset = int(made.state["offset"])
        file.seek(offset)
        data = file.read(_CHUNK)
        if len(data) >= _SIZE and int.from_bytes(data[:_SIZE], "little") > len(data) - _SIZE:
            data += file.read(min(_LONGEST, int.from_bytes(data[:_SIZE], "little")))
    run = made.run(_KEY)
    run.facts.origin["tracker"] = "VisualDL"
    buffer, position, passing, tail = SeriesBuffer(), 0, [], []
    while position + _SIZE <= len(data):
        length = int.from_bytes(data[position : position + _SIZE], "little")
        if length > _LONGEST:
            text = "a record has an invalid length; the rest of the file cannot be read"
            flaw = Flaw(offset + position, Reason(text, "importers_record_length"))
            passing.append(("", flaw))
            break
        if position + _SIZE + length > len(data) or not length:  # zeros may still be filled
            break
        body = data[position + _SIZE : position + _SIZE + length]
        try:
            record = _TYPES.parse("Record", body)
        except ValueError:
            reason = _LOG_RECORD(tracker="VisualDL")
            made.note("", Flaw(offset + position, reason, len(body)))
        else:
            for value in record.values:
                with MediaFiles(Path()).shown(partial(made.note, ""), value.tag, value.id):
                    _take(made, run, buffer, value)
        position += _SIZE + length
    made.note_all("", buffer.write(run))
    end = made.state["offset"] = offset + position
    made.state["mark"] = mark_before(source, end)
    is_done = bool(passing) or not position or end >= info.st_size
    if is_done and end < info.st_size and not passing:
        cause = CUT if any(data[position : position + _SIZE]) else ZEROS
        tail.append(("", Flaw(end, cause, info.st_size - end)))
    return made.finish(is_done=is_done, flaws=passing, tail=tail)


def _take(made: TranslatedRuns, run: ImportedRun, buffer: SeriesBuffer, value: Any) -> None:  # noqa: ANN401
    kind, step, when = value.WhichOneof("one_value"), value.id, _seconds(value.timestamp)
    run.facts.started = min(run.facts.started or when, when)
    if kind == "value":
        buffer.add(value.tag, step, when, value.value)
    elif kind == "tag_value":
        buffer.add(f"{value.tag}/{value.tag_value.tag}", step, when, value.tag_value.value)
    elif kind == "image":
        run.picture_of(value.tag, step, when, value.image.encoded_image_string)
    elif kind == "text":
        run.text(value.tag, step, when, value.text.encoded_text_string)
    elif kind == "histogram":
        found = histogram_of_counts(value.tag, value.histogram.bin_edges, value.histogram.hist)
        run.value(found, step, when)
    elif kind == "pr_curve":
        run.value(_curve(value.tag, value.pr_curve, value.pr_curve), step, when)
    elif kind == "roc_curve":
        run.value(_curve(value.tag, value.roc_curve, None), step, when)
    elif kind == "audio":
        content = message_field(_AUDIO, value.audio)
        run.value(EncodedValue(value.tag, "summary", len(content), lambda: [content]), step, when)
    elif kind == "hparam":
        for info in value.hparam.hparamInfos:
            cell = cell_of(getattr(info, info.WhichOneof("type") or "string_value"))
            if cell is not None:
                run.facts.config[info.name] = cell
    elif kind == "meta_data":
        if value.meta_data.display_name:
            run.facts.origin["name"] = value.meta_data.display_name
    elif value.tag != _FIRST_TAG:
        _note_unshown(made, kind, value.tag)


def _seconds(timestamp: int) -> float:
    """Seconds since the epoch of a time in ms, or in seconds, as VisualDL 2.0 wrote it."""
    return timestamp / 1000 if timestamp >= _LEAST_MS else float(timestamp)


def _curve(tag: str, counts: Any, shares: Any) -> EncodedValue:  # noqa: ANN401
    """Counts of a classifier at every threshold as a value of the tab PR curves, which shows ROC curves too.

    Without ``shares``, precision and recall are computed. Raises ValueError for columns of other lengths.
    """
    columns = [np.array(column, np.float64) for column in (counts.TP, counts.FP, counts.TN, counts.FN)]
    tp, fp, _, fn = columns
    if len({len(column) for column in columns}) != 1 or not len(tp):
        raise ValueError(_UNEVEN)
    if shares is None:
        columns += [tp / np.maximum(tp + fp, 1), tp / np.maximum(tp + fn, 1)]
    elif len(shares.precision) == len(shares.recall) == len(tp):
        columns += [np.array(shares.precision), np.array(shares.recall)]
    else:
        raise ValueError(_UNEVEN)
    return tensor_value(tag, np.stack(columns), "pr_curves", content=int_field(_THRESHOLDS, len(tp)))


def _note_unshown(made: TranslatedRuns, kind: str | None, tag: str) -> None:
    """Lists a kind of values that no tab shows, once for each tag."""
    known: list[str] = made.state.setdefault("unshown", [])
    if tag in known or len(known) >= _MOST_UNSHOWN:
        return
    known.append(tag)
    if kind == "embeddings":
        made.note("", Flaw(0, _VISUALDL_EMBEDDINGS(tag=tag)))
    else:
        made.note("", Flaw(0, _VISUALDL_KIND(tag=tag)))
