"""What one plugin knows, asked by another: by its URLs, without importing it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeAlias

from werkzeug import Request, Response
from werkzeug.datastructures import MultiDict

from insight_core.plugin import NotFound, Unavailable

Asked: TypeAlias = Callable[[Request, str, MultiDict[str, str]], Response]
"""How the host answers: the request on whose behalf, the path below its root, the parameters."""


def ask(request: Request, plugin: str, route: str, **parameters: str | int | Sequence[str]) -> object:
    """The JSON that another plugin's ``route`` answers to GET with these parameters, in this process.

    Raises NotFound where there is no such plugin or route, Unavailable if the plugin fails or does not
    answer in JSON, and else what the plugin raises.
    """
    answer_of: Asked | None = request.environ.get("insight.ask")
    if answer_of is None:
        raise NotFound(f"there is no plugin {plugin!r} to ask")
    pairs = [
        (name, str(value))
        for name, values in parameters.items()
        for value in ([values] if isinstance(values, str | int) else values)
    ]
    answer = answer_of(request, f"/data/plugin/{plugin}{route}", MultiDict(pairs))
    if answer.status_code != 200 or answer.mimetype != "application/json":
        raise Unavailable(f"plugin {plugin} answered {route} with {answer.status} and {answer.mimetype}")
    decoded: object = json.loads(answer.get_data())
    return decoded
