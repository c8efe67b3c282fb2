"""The page in the frame of a plugin made for TensorBoard: ``/data/plugin_entry.html?name=``."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape

from tensorboard.backend import http_util
from werkzeug import Request, Response

from insight_tensorboard.hosted.adapter import Frontend


def entry_page(request: Request, name: str, frontend: Frontend) -> Response:
    """A page that imports the plugin's module and calls its ``render()``; no other script may run in it."""
    if frontend.es_module_path is None:
        return http_util.Respond(request, "Plugin is not module loadable", "text/plain", code=400)
    script = f"import({json.dumps('.' + frontend.es_module_path)}).then((m) => void m.render());"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = (
        "<!DOCTYPE html>\n"
        f'<head><base href="plugin/{escape(name)}/" /></head>\n'
        f'<body><script type="module">{script}</script></body>\n'
    )
    return http_util.Respond(request, page, "text/html", csp_scripts_sha256s=[digest])
