"""What users wrote about runs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from attrs import field, fields_dict, frozen


@frozen
class Annotation:
    """What users wrote about one run; None for an empty field. ``mark`` is the number of an icon, 1 to 10.

    An ``archived`` run is neither listed nor drawn unless the user asks for archived runs.
    """

    display_name: str | None = None
    note: str | None = None
    remark: str | None = None
    mark: int | None = None
    archived: bool | None = None

    def said(self) -> dict[str, str | int]:
        """The fields that have a value."""
        values = {name: getattr(self, name) for name in FIELDS}
        return {name: value for name, value in values.items() if value is not None}


@frozen
class Authorship:
    """Who set a field, if a middleware named the user, and when."""

    by: str
    at: float  # seconds since the epoch


FIELDS = tuple(fields_dict(Annotation))
_NOBODY: Mapping[str, Annotation] = MappingProxyType({})
_UNSIGNED: Mapping[str, Mapping[str, Authorship]] = MappingProxyType({})


@frozen(eq=False)
class Annotations:
    """Annotations by run at one moment. ``generation`` changes whenever they do.

    ``written`` has the fields by run that known users set.
    """

    generation: int = 0
    runs: Mapping[str, Annotation] = field(default=_NOBODY)
    written: Mapping[str, Mapping[str, Authorship]] = field(default=_UNSIGNED)
