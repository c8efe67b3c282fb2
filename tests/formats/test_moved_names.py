"""Names that left ``insight_core.plugin.payloads`` work for a release, and say where they are."""

from __future__ import annotations

from importlib import import_module

import pytest

from insight_core.plugin import payloads
from insight_record.formats import dtypes, framing


@pytest.mark.parametrize(
    ("name", "module"),
    [("HEADER_SIZE", framing), ("RecordProblem", framing), ("record", framing), ("TENSORFLOW_TYPES", dtypes)],
)
def test_a_name_that_moved_is_found_with_a_warning(name: str, module: object) -> None:
    with pytest.warns(DeprecationWarning, match=rf"it is insight_record\.formats\.\w+\.{name}"):
        assert getattr(payloads, name) is getattr(module, name)


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="no_such"):
        import_module("insight_core.plugin.payloads").no_such  # noqa: B018
