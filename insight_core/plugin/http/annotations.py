"""What people say of runs, for routes that show it beside the data."""

from __future__ import annotations

from werkzeug import Request

from insight_core.plugin.annotations import Annotation as Annotation
from insight_core.plugin.annotations import Annotations as Annotations

_NONE = Annotations()


def annotations_of(request: Request) -> Annotations:
    """The annotations as the host has them; the ETag that the host gives an answer covers them."""
    found = request.environ.get("insight.annotations")
    return found if isinstance(found, Annotations) else _NONE
