"""The log of changes lists the latest and keeps no more than it lists."""

from __future__ import annotations

from insight_core.change_log import MOST_CHANGES, ChangeLog
from insight_core.plugin.data import SeriesKey


def test_changes_that_nobody_is_given_are_not_kept() -> None:
    log = ChangeLog()
    keys = [SeriesKey(f"run{number}", "a") for number in range(MOST_CHANGES + 100)]
    for key in keys:  # as runs come and go for weeks
        log.note({"scalar": [key]})
    last = log.generation
    log.note({"scalar": keys[-1:]}, runs=True, gone=True)
    for since, listed in ((0, None), (99, None), (100, keys[100:]), (last - 1, keys[-1:])):
        changes = log.changes(since, 0)
        assert (changes.runs, changes.gone) == (True, True)
        if listed is None:
            assert changes.series is None
        else:
            assert changes.series is not None
            assert set(changes.series["scalar"]) == set(listed)
    assert log.changes(last + 1, 0).series == {}
    assert len(log.forget(lambda change: True)) == MOST_CHANGES


def test_what_is_no_longer_kept_says_nothing_of_runs_and_of_what_is_gone() -> None:
    log = ChangeLog()
    log.note({}, runs=True, gone=True)
    before = log.generation
    log.note({"scalar": [SeriesKey("r", str(number)) for number in range(MOST_CHANGES + 1)]})
    changes = log.changes(before, 0)
    assert (changes.series, changes.runs, changes.gone) == (None, False, False)
