"""Runs that an earlier process read keep their points until the files have changed."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.store.claims import FileState
from insight_core.store.indexed_runs import RecalledFile
from insight_core.store.store import Store
from tests.store.scanned_blocks import FILES, SCALAR, append, found


class Recalled:
    """The first file of run r, as an earlier process read it."""

    runs = ("r",)
    start_times = (1.0,)

    def __init__(self, content: FileState) -> None:
        self._content = content

    def opened(self, number: int, *, is_compared: bool) -> Sequence[RecalledFile] | None:
        return [RecalledFile(FILES[0], "f0", self._content)]


def test_metadata_of_a_later_file_go_with_it_although_the_first_file_was_restored() -> None:
    first, second = Store([SCALAR], {}), Store([SCALAR], {})
    first.add_runs(["r"])
    append(first, FILES[0], found("simple_value", {"a": [1, 2]}))
    state = first.file_state("r", FILES[0])
    assert state is not None
    second.recall([Recalled(state)])
    assert second.compare({"r"}, (), lambda run: FILES[:1]) == {"r"}
    for name in ("before", "after"):
        append(second, FILES[1], found("simple_value", {"a": [3]}), about=name)
        restored = second.file_state("r", FILES[0])
        assert restored is not None
        assert restored.metadata == {}
        assert [info.display_name for info in second.infos("scalar", None)] == [name]
        second.drop_file("r", "f1", FILES[1])


def test_a_file_that_is_compared_while_it_is_opened_keeps_its_points() -> None:
    """It changed after the walk has seen it: what was read of it counts until it is read on."""
    first, second = Store([SCALAR], {}), Store([SCALAR], {})
    first.add_runs(["r"])
    append(first, FILES[0], found("simple_value", {"a": [1, 2]}))
    state = first.file_state("r", FILES[0])
    assert state is not None

    class Changing(Recalled):
        def opened(self, number: int, *, is_compared: bool) -> Sequence[RecalledFile] | None:
            if is_compared:
                return super().opened(number, is_compared=True)
            assert second.compare({"r"}, (), lambda run: FILES[:1]) == {"r"}
            return None

    second.recall([Changing(state)])
    assert [info.points for info in second.infos("scalar", None)] == [2]
