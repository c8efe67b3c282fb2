"""Configuration and summary of a run: mappings whose keys are attributes, too."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from insight_record.configurations import fields_of


class Settled(MutableMapping[str, Any]):
    """Values by name; ``changed`` is called after each change."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self.__dict__["_values"] = dict(values or {})
        self.__dict__["_changed"] = None

    def follow(self, changed: Callable[[], None]) -> None:
        """Calls ``changed`` after each change from now on."""
        self.__dict__["_changed"] = changed

    def as_dict(self) -> dict[str, Any]:
        """A copy of all values."""
        return dict(self._values)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:  # noqa: ANN401
        self._set({name: value})

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"{name!r} was recorded, and cannot be taken back")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:  # noqa: ANN401
        self[name] = value

    def __repr__(self) -> str:
        return repr(self._values)

    def _set(self, values: Mapping[str, Any]) -> None:
        self._values.update(values)
        if self._changed is not None:
            self._changed()


class Config(Settled):
    """Hyperparameters. A value stays as it is, unless ``allow_val_change`` says that it may change."""

    @classmethod
    def of(cls, given: object, *, include: Iterable[str], exclude: Iterable[str]) -> Config:
        """The configuration of ``init``: a mapping, a namespace, a dataclass or the path of a JSON file."""
        wanted, left_out = set(include), set(exclude)
        values = _mapping_of(given)
        return cls(
            {
                name: value
                for name, value in values.items()
                if name not in left_out and (not wanted or name in wanted)
            }
        )

    def update(self, given: object = None, allow_val_change: bool | None = None, **named: Any) -> None:  # type: ignore[override]  # noqa: ANN401
        """Adds values. Raises ValueError for one that has another value, unless it may change."""
        self._change({**_mapping_of(given), **named}, bool(allow_val_change))

    def setdefaults(self, given: object) -> None:
        """Adds the values whose names are new."""
        self._change({name: value for name, value in _mapping_of(given).items() if name not in self}, True)

    def __setitem__(self, name: str, value: Any) -> None:  # noqa: ANN401
        self._change({name: value}, False)

    def _change(self, values: Mapping[str, Any], is_allowed: bool) -> None:
        for name, value in values.items():
            if not is_allowed and name in self and not _is_same(self[name], value):
                raise ValueError(
                    f"config has {name}={self[name]!r}: config.update({{{name!r}: {value!r}}}, "
                    "allow_val_change=True) changes it"
                )
        self._set(values)


def _is_same(one: object, other: object) -> bool:
    try:
        return bool(one == other)
    except ValueError:  # arrays
        return repr(one) == repr(other)


def _mapping_of(given: object) -> dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, (str, os.PathLike)):
        given = json.loads(Path(given).read_text())
    found = fields_of(given)
    if found is None:
        raise TypeError(f"config is a mapping, a namespace or a JSON file, not {type(given).__name__}")
    return {str(name): value for name, value in found.items()}
