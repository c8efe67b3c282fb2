"""Why entry points, plugins and hooks failed, in words for the user."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable

from attrs import frozen

from insight_core.isolation import Overdue, in_one_line
from insight_core.registry.modules import Candidate, Refusal
from insight_core.registry.origins import author_lines, place_of

TOLD = (Refusal, Overdue, argparse.ArgumentTypeError)  # errors whose text says all


@frozen
class PluginFailure:
    """Why one entry point, one of its plugins or one of its hooks failed."""

    entry_point: str
    distribution: str
    reason: str  # one line, fit for the user
    traceback: str  # from the first frame of the plugin on
    hook: str = ""  # that failed, if it is one


def failure_of(
    candidate: Candidate, error: BaseException, *, hook: str = "", name: str | None = None
) -> PluginFailure:
    """``hook`` is the hook that failed, ``name`` which of several plugins of the module."""
    before = f"{hook}() of {name or candidate.name}: " if hook else ""
    text = " ".join(str(error).split()) if isinstance(error, TOLD) else with_place(error)
    return PluginFailure(
        entry_point=name or candidate.name,
        distribution=candidate.origin.distribution,
        reason=before + text,
        traceback=author_lines(error),
        hook=hook,
    )


def with_place(error: BaseException) -> str:
    """Type and text of an error in one line, and in parentheses the line of the plugin that it comes from."""
    if isinstance(error, SyntaxError) and error.msg:  # its text has a place, too, with less of the path
        text = f"{type(error).__name__}: {error.msg}"
    else:
        text = in_one_line(error)
    place = place_of(error)
    return f"{text} ({place})" if place else text


def by_free_name(failures: Iterable[PluginFailure], taken: Collection[str]) -> dict[str, PluginFailure]:
    """Failures by entry point; one whose name is in use also carries its distribution or a number."""
    named: dict[str, PluginFailure] = {}
    for failure in failures:
        name = failure.entry_point
        if name in taken or name in named:
            name = f"{name} ({failure.distribution})"
        base, count = name, 1
        while name in taken or name in named:
            count += 1
            name = f"{base} #{count}"
        named[name] = failure
    return named
