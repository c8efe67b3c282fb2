"""What matters about runs taken together: what a module contributes by ``insight_highlights``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import field, frozen

from insight_core.plugin.checks import IDENTIFIER, check_function
from insight_core.plugin.findings import Highlight
from insight_core.references import reference

if TYPE_CHECKING:
    from insight_core.plugin.context import PluginContext


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
