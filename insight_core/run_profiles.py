"""A profile of a run, as a plugin offers it to rules."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from attrs import field, frozen

from insight_core.checks import TEXT, check_function


@frozen(eq=False)
class RunProfile:
    """A profile that rules of scope ``profile`` examine: what ``Plugin.profiles`` gives, without reading it.

    Parameters
    ----------
    name : str
        Unique among those that the plugin has of the run.
    kind : str
        Which rules examine it (``Needs.profiles``), such as the framework that wrote it.
    open : function
        Returns its evidence, ``Examined.profile``: called once for all rules, in a thread with a deadline.
        Raises NotChecked where the profile cannot be read, with ``may_change`` while it is being read.
    version : hashable
        Differs when ``open`` gives other evidence although the plugin's series of the run are the same.
    """

    name: str = field(validator=TEXT)
    kind: str = field(validator=TEXT)
    open: Callable[[], Any] = field(validator=check_function)
    version: Hashable = 0
