"""Parses JSON of a record; errors are Reasons."""

from __future__ import annotations

import json
from typing import Any

from insight_core.plugin import Reason, ReasonKind

_LARGE = ReasonKind("media_large", "the content has {size:,} bytes, of at most {most:,} that can be shown")
_NOT_JSON = ReasonKind("media_not_json", "not valid JSON: {cause}")


def parsed(content: bytes, most: int) -> Any:  # noqa: ANN401
    """The value of at most ``most`` bytes of JSON. Raises ValueError with a Reason for anything else."""
    if len(content) > most:
        raise ValueError(_LARGE(size=len(content), most=most))
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError(Reason("the JSON is nested too deeply", "media_deep")) from None
    except ValueError as error:
        raise ValueError(_NOT_JSON(cause=str(error))) from None
