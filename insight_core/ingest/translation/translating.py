"""Calls a store format's ``translate`` in a worker process."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import fields, frozen

from insight_core.formats.batch import Flaw, unreadable
from insight_core.isolation import in_one_line
from insight_core.plugin import StoreFormat, Translation
from insight_core.references import Reference, name_of
from insight_core.worker.job import WaitedJob, WorkerFailed, WorkerLimits
from insight_core.worker.link import WorkerLink
from insight_core.worker.pool import Workers
from insight_record.formats.reason import Reason

DEADLINE = 30.0  # seconds after which a call is ended
MEMORY = 1 << 30  # bytes of a call
AT_ONCE = 2  # calls
_ANSWER = 16 << 20  # bytes of what a call says of runs and damage


def translation_workers() -> Workers:
    """Processes that translate stores."""
    return Workers(WorkerLimits(MEMORY, 2 * DEADLINE, DEADLINE, _ANSWER), AT_ONCE)


@frozen(eq=False)
class NotTranslated(Exception):
    """A call failed. ``reason`` says why; ``unreadable`` if the store itself cannot be read, else the format
    failed. ``costs`` if it took all that a call may take."""

    reason: Reason
    is_unreadable: bool = False
    costs: bool = False


class TranslateCall(WaitedJob):
    """A call under way; ``done`` is set when it has ended."""

    def __init__(self, store_format: StoreFormat, source: str, target: Path) -> None:
        name = name_of(store_format.translate)
        arguments = {"name": name, "source": source, "target": str(target)}
        super().__init__(f"{__name__}:translate", arguments, None)
        self.imports = (name.partition(":")[0],)

    def translation(self) -> Translation:
        """Waits for the translation. Raises NotTranslated."""
        try:
            told = json.loads(self.result())
        except WorkerFailed as failure:
            raise NotTranslated(Reason.of(failure), costs=failure.is_at_limit) from failure
        if "failed" in told:
            raise NotTranslated(Reason.restored(told["failed"]), told["unreadable"])
        return Translation(**{name: _restored(value) for name, value in told.items()})


def translate(link: WorkerLink, name: str, source: str, target: str) -> bytes:
    """Calls the function of this name; the answer is JSON. Runs in the worker."""
    try:
        result = Reference(name)(source, Path(target))
        if not isinstance(result, Translation):
            raise TypeError(f"it returned a {type(result).__name__}, not a Translation")
        told = _told(result)
    except OSError as error:
        told = {"failed": Reason.of(unreadable(error)).stored(), "unreadable": True}
    except MemoryError:
        raise
    except ValueError as error:
        told = {"failed": Reason.of(error).stored(), "unreadable": False}
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        told = {"failed": in_one_line(error), "unreadable": False}
    return json.dumps(told).encode()


def _told(result: Translation) -> dict[str, object]:
    return {field.name: _plain(getattr(result, field.name)) for field in fields(Translation)}


def _plain(value: Any) -> object:  # noqa: ANN401 - a field of a Translation
    """A field as JSON: texts by text, true or false, texts, or damage with names of runs."""
    if isinstance(value, Mapping):
        return {str(directory): str(name) for directory, name in value.items()}
    if isinstance(value, bool):
        return value
    return [
        one
        if isinstance(one, str)
        else (str(one[0]), int(one[1].offset), Reason.of(one[1].reason).stored(), int(one[1].skipped))
        for one in value
    ]


def _restored(value: Any) -> Any:  # noqa: ANN401 - as ``_plain`` made it
    if not isinstance(value, list):
        return value
    return [
        one if isinstance(one, str) else (one[0], Flaw(one[1], Reason.restored(one[2]), one[3]))
        for one in value
    ]
