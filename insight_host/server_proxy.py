"""What jupyter-server-proxy needs to know to start a host and to show it at ``<jupyter>/insight/``."""

from __future__ import annotations

import atexit
import os
import secrets
import sys
from pathlib import Path
from typing import Any

from insight_frontend import STATIC
from platformdirs import user_state_path

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
    path = user_state_path("insight-host") / f"jupyter-{os.getpid()}.token"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(token)
    atexit.register(path.unlink, missing_ok=True)
    return path


def _literally(text: str) -> str:
    """As what remains of it: jupyter-server-proxy puts the port in with ``str.format``."""
    return text.replace("{", "{{").replace("}", "}}")
