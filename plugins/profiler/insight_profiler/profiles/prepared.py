"""Makes what the first views of a profile need while it is read, so that one that is kept opens at once."""

from __future__ import annotations

import logging

from attrs import evolve

from insight_profiler.analysis.lanes import kept_lanes
from insight_profiler.analysis.overview import OVERVIEW, first_overview
from insight_profiler.model import Profile

_log = logging.getLogger(__name__)


def prepared(profile: Profile) -> Profile:
    """A profile with its overview and what is drawn of all of its timeline."""
    try:
        documents = {**profile.documents, OVERVIEW: first_overview(profile)}
        return evolve(profile, documents=documents, tables={**profile.tables, **kept_lanes(profile)})
    except Exception:  # the view that cannot be made says so; others can
        _log.exception("the first views of a profile are made when they are asked for")
        return profile
