"""The directory of a store's event files: which runs it has, and the state from which translating goes on."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from insight_core.plugin import Flaw, Reason, Translation
from insight_importers.imported_run import ImportedRun, directory_of, is_whole

_STATE = "state.json"
_MOST_FLAWS = 200


class TranslatedRuns:
    """Everything that was translated of one store. Nothing counts before ``finish``.

    ``state`` is a JSON object of the format's own. ``begins`` is true where nothing was translated before.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._open: dict[str, ImportedRun] = {}  # of this call
        self._kept: dict[str, dict[str, Any]] = {}  # all runs, as they were left
        self._names: set[str] = set()
        self._flaws: list[Any] = []
        kept = _read(directory / _STATE)
        self.begins = kept is None or not all(is_whole(directory, one) for one in kept["runs"].values())
        self.state: dict[str, Any] = {}
        if kept is not None and not self.begins:
            self.state, self._kept, self._flaws = kept["state"], kept["runs"], kept["flaws"]
            self._names = {str(one["name"]) for one in self._kept.values()}

    def start_anew(self) -> None:
        """Forgets everything that was translated, because the store is another one now."""
        self.keep(())
        self.state, self._flaws, self.begins = {}, [], True

    def __contains__(self, key: str) -> bool:
        return key in self._kept

    def run(self, key: str, name: str = "") -> ImportedRun:
        """The run that the store knows by this key, made with this name if need be.

        If another run has the name already, the key is added to it.
        """
        if key not in self._open:
            if key not in self._kept:
                free = self._free(name, key)
                number = 1 + max((int(one["number"]) for one in self._kept.values()), default=0)
                self._kept[key] = {"number": number, "name": free}
                self._names.add(free)
                shutil.rmtree(self._directory / directory_of(self._kept[key]), ignore_errors=True)
            self._open[key] = ImportedRun(self._directory, self._kept[key])
        return self._open[key]

    def rename(self, key: str, name: str) -> None:
        """Gives a run the name that its user gave it later."""
        run = self.run(key)
        before = run.name
        self._names.discard(before)
        run.name = self._free(name, key)
        self._names.add(run.name)
        self._flaws = [[run.name if flaw[0] == before else flaw[0], *flaw[1:]] for flaw in self._flaws]

    def keep(self, keys: Collection[str]) -> None:
        """Deletes the runs that the store has no longer: all but these."""
        for key in self._kept.keys() - set(keys):
            self.remove(key)

    def remove(self, key: str) -> None:
        """Deletes a run that the store has no longer."""
        self.run(key).remove()
        del self._open[key]
        name = str(self._kept.pop(key)["name"])
        self._names.discard(name)
        self._flaws = [flaw for flaw in self._flaws if flaw[0] != name]

    def note(self, name: str, flaw: Flaw) -> None:
        """Lists damage of the run of this name, also in later calls."""
        entry = [name, flaw.offset, Reason.of(flaw.reason).stored(), flaw.skipped]
        if len(self._flaws) < _MOST_FLAWS and entry not in self._flaws:
            self._flaws.append(entry)

    def note_all(self, name: str, flaws: Iterable[Flaw]) -> None:
        """Notes several."""
        for flaw in flaws:
            self.note(name, flaw)

    def _free(self, name: str, key: str) -> str:
        return next(one for one in _numbered(name, key) if one not in self._names)

    def finish(
        self,
        *,
        is_done: bool = True,
        watched: Sequence[str] = (),
        flaws: Sequence[tuple[str, Flaw]] = (),
        tail: Sequence[tuple[str, Flaw]] = (),
    ) -> Translation:
        """Writes the state, and returns the result of the call.

        ``flaws`` are by name of run, and are listed until the next call; ``tail`` too, once the store rests.
        """
        if is_done:
            for key, one in self._kept.items():
                if not one.get("order", {}).get("is_settled", True):
                    self.run(key)
        for key, run in self._open.items():
            run.close(settles=is_done)
            self._kept[key] = run.kept()
        self._open.clear()
        _write(self._directory / _STATE, {"state": self.state, "runs": self._kept, "flaws": self._flaws})
        names = {directory_of(one): str(one["name"]) for one in self._kept.values()}
        noted = [
            (name, Flaw(offset, Reason.restored(reason), skipped))
            for name, offset, reason, skipped in self._flaws
        ]
        return Translation(names, is_done, watched, [*noted, *flaws][:_MOST_FLAWS], tail)


def _numbered(name: str, key: str) -> Iterator[str]:
    yield name
    yield f"{name} {key[:8]}"
    yield f"{name} {key}"
    number = 2
    while True:
        yield f"{name} {number}"
        number += 1


def _read(path: Path) -> Any:  # noqa: ANN401 - JSON
    """The state as it was written; None if it is missing or cannot be used."""
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, dict) and kept.keys() == {"state", "runs", "flaws"} else None


def _write(path: Path, value: object) -> None:
    data = json.dumps(value).encode()
    try:
        if path.read_bytes() == data:
            return
    except OSError:
        pass
    temporary = path.with_suffix(".new")
    temporary.write_bytes(data)
    os.replace(temporary, path)
