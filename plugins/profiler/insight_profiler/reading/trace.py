"""Reads Chrome traces: of torch.profiler in its older and newer forms, and any other.

A trace is read as a stream, window by window, into columns; of the arguments of its events only those are
kept that make columns, and for the others where they are. Times are microseconds, as texts with three
decimals, and count from ``baseTimeNanoseconds`` where that is said, anywhere in the file.
"""

from __future__ import annotations

from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.model import Source
from insight_profiler.reading import folded, speedscope
from insight_profiler.reading.json_events import EmptyTrace, Events, NoTrace
from insight_profiler.reading.trace_events import TraceEvents
from insight_profiler.reading.trace_head import describe
from insight_profiler.stack_files import is_folded, is_speedscope

_LARGEST = 1 << 62  # ns
_BEGINNING = 1 << 16  # bytes that tell what a file is
_OTHERS = (
    (Source.SPEEDSCOPE, is_speedscope, speedscope.read),
    (Source.FOLDED, is_folded, folded.read),
)


def read(files: Files, building: Building) -> None:
    """The one trace that the files are; or stacks, of which names do not tell."""
    for name in files.names():
        beginning = files.peek(name, _BEGINNING)
        for source, tells, reader in _OTHERS:
            if tells(beginning):
                building.source = source
                reader(files, building)
                return
        events = _read_trace(files, name, building)
        if not building.rows("slices") and not building.rows("counters"):
            raise Unreadable("no_events", f"{name} holds no events", file=name)
        describe(building, events.head)


def _read_trace(files: Files, name: str, building: Building) -> Events:
    """Adds the events of one of the files. Raises Unreadable if it is not a trace; what is wrong with
    it otherwise is noted."""
    traces: list[str] = building.documents.setdefault("traces", [])
    traces.append(name)
    try:
        with files.open(name) as stream:
            rows = TraceEvents(building, len(traces) - 1)
            events = Events(stream, rows.known.events)
            building.before_finish(rows.label)
            try:
                for window in events.windows():
                    rows.add(window)
                    building.start_ns = _base(events) or building.start_ns
                    building.reached()
            except OSError as error:
                building.note("truncated", f"{name} cannot be read to its end: {error}", file=name)
            rows.finish()
            building.start_ns = _base(events) or building.start_ns
    except EmptyTrace as error:
        raise Unreadable("empty_file", f"{name} is empty", file=name) from error
    except NoTrace as error:
        raise Unreadable("not_a_trace", f"{name} is not a trace: {error}", file=name) from error
    except ValueError as error:
        text = f"{name} cannot be read as a trace: {error}"
        raise Unreadable("broken_trace", text, file=name, reason=str(error)) from error
    _note(building, name, events, rows)
    if rows.is_torch and building.source is Source.CHROME:
        building.source = Source.TORCH
    return events


def _base(events: Events) -> int:
    base = events.head.get("baseTimeNanoseconds")
    return base if isinstance(base, int) and 0 <= base < _LARGEST else 0


def _note(building: Building, name: str, events: Events, rows: TraceEvents) -> None:
    if events.is_cut:
        building.note("truncated", f"{name} ends before it should; what is there was read", file=name)
    if events.mended:
        text = f"{name} has {events.mended} values that are not valid JSON; they count as unknown"
        building.note("values_mended", text, file=name, count=events.mended)
    if events.skipped:
        text = f"{name} has {events.skipped} places that cannot be read; they were skipped"
        building.note("events_skipped", text, file=name, count=events.skipped)
    if rows.unread:
        count, kinds = sum(rows.unread.values()), ", ".join(sorted(rows.unread))
        text = f"{name} has {count} events of kinds that are not read ({kinds})"
        if not building.rows("slices") and not building.rows("counters"):
            raise Unreadable("events_not_read", text, file=name, count=count, kinds=kinds)
        building.note("events_not_read", text, file=name, count=count, kinds=kinds)
    if rows.odd:
        text = (
            f"{name} has {rows.odd} events that lack what they need; they were left out, or have no duration"
        )
        building.note("events_odd", text, file=name, count=rows.odd)
