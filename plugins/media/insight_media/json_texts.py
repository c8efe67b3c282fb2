"""Parses JSON of a record; errors are Reasons."""

from __future__ import annotations

import json
from typing import Any

from insight_core.plugin import Reason


def parsed(content: bytes, most: int) -> Any:  # noqa: ANN401
    """The value of at most ``most`` bytes of JSON. Raises ValueError with a Reason if there is none."""
    if len(content) > most:
        text = f"the content has {len(content):,} bytes, of at most {most:,} that can be shown"
        raise ValueError(Reason(text, "media_large", size=len(content), most=most))
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError(Reason("the JSON is nested too deeply", "media_deep")) from None
    except ValueError as error:
        raise ValueError(Reason(f"not valid JSON: {error}", "media_not_json", cause=str(error))) from None
