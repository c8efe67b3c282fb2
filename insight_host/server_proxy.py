"""What jupyter-server-proxy needs to know to start a host and to show it at ``<jupyter>/insight/``."""

from __future__ import annotations

import os
import secrets
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from insight_frontend import STATIC

_TIMEOUT = 30  # seconds until it must answer


def setup() -> dict[str, Any]:
    """The entry of ``jupyter_serverproxy_servers``: INSIGHT_HOST_LOGDIR, else the directory of Jupyter."""
    logdir = [] if os.environ.get("INSIGHT_HOST_LOGDIR") else ["--logdir", _literally(os.getcwd())]
    own = "localhost:{port}"
    token = secrets.token_urlsafe(32)
    return {
        "command": [_literally(sys.executable), "-P", "-m", "insight_core.cli", "--port", "{port}", *logdir],
        "timeout": _TIMEOUT,
        # Other users of this machine reach the port as well: only Jupyter knows the token.
        "environment": {
            "INSIGHT_HOST_TOKEN": "1",
            "INSIGHT_HOST_TOKEN_FILE": _literally(str(_file_with(token))),
        },
        # Who gets through Jupyter's log-in asks under the name of Jupyter, which the host does not know.
        "request_headers_override": {
            "Host": own,
            "Origin": f"http://{own}",
            "Authorization": f"Bearer {token}",
        },
        "launcher_entry": {"title": "insight-host", "icon_path": str(STATIC / "favicon.svg")},
    }


def _file_with(token: str) -> Path:
    """A file that only this user may read, until Jupyter ends."""
    path = Path(_directory().name) / "token"
    path.touch(mode=0o600)
    path.write_text(token, encoding="ascii")
    return path


@cache
def _directory() -> TemporaryDirectory[str]:
    """Its mode is 0700; it is removed when the process ends."""
    return TemporaryDirectory(prefix="insight-host-")


def _literally(text: str) -> str:
    """As what remains of it: jupyter-server-proxy puts the port in with ``str.format``."""
    return text.replace("{", "{{").replace("}", "}}")
