"""What matters about runs taken together: what a module contributes by ``insight_highlights``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, get_args

from attrs import field, frozen

from insight_core.plugin.checks import IDENTIFIER, check_function, is_a, one_of
from insight_core.plugin.extensions import Messages
from insight_core.plugin.rules import FindingPlace
from insight_core.references import reference
from insight_record.formats.reason import Reason

if TYPE_CHECKING:
    from insight_core.plugin.context import PluginContext

HighlightTone: TypeAlias = Literal["error", "warning", "good", "info"]  # How the page marks it.
HIGHLIGHT_TONES: tuple[HighlightTone, ...] = get_args(HighlightTone)  # All tones.


def _names(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(given)


@frozen
class Highlight:
    """One sentence about runs, such as which of them is best.

    Parameters
    ----------
    tone : "error", "warning", "good" or "info"
    text : Reason
        In English; the page has it in the user's language by its code, from the hook ``insight_messages``.
    runs : sequence of str
        The runs that it is about, the most important first; the page selects them when it is opened.
    place : FindingPlace, optional
        Where the evidence is; None if no tab shows it.
    """

    tone: HighlightTone = field(validator=one_of(HIGHLIGHT_TONES))
    text: Reason = field(validator=is_a(Reason, "a Reason"))
    runs: Sequence[str] = field(default=(), converter=_names)
    place: FindingPlace | None = None


@frozen
class HighlightSource:
    """Says what matters about runs.

    Parameters
    ----------
    id : str
        Unique in the module: ``[a-z][a-z0-9_]*``.
    find : function or "package.module:function"
        Gets the ``PluginContext`` of the first plugin of the module and the names of runs, and returns
        highlights, none if there is nothing to say. Called in a thread of the module with a deadline
        (``Limits.rule``), each time that the page asks.
    order : int
        Small ones come first.
    """

    id: str = field(validator=IDENTIFIER)
    find: Callable[[PluginContext, Sequence[str]], Iterable[Highlight]] = field(
        converter=reference, validator=check_function
    )
    order: int = 100


@frozen
class SourceHighlights:
    """What one source said, or why it failed."""

    plugin: str  # that has the source
    id: str
    highlights: tuple[Highlight, ...] = ()
    failed: Reason | None = None


@frozen
class RunHighlights:
    """What all sources said, in their order, and texts of plugins by locale."""

    sources: Sequence[SourceHighlights]
    messages: Sequence[Messages]


class FindHighlights(Protocol):
    """Asks the sources of all plugins: ``PluginContext.highlights``."""

    def __call__(self, runs: Sequence[str]) -> RunHighlights:
        """What matters about these runs; unknown ones are left out."""
        ...
