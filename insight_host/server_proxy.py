"""What jupyter-server-proxy needs to know to start a host and to show it at ``<jupyter>/insight/``."""

from __future__ import annotations

import os
import sys
from typing import Any

from insight_frontend import STATIC

_TIMEOUT = 30  # seconds until it must answer


def setup() -> dict[str, Any]:
    """The entry of ``jupyter_serverproxy_servers``: INSIGHT_HOST_LOGDIR, else the directory of Jupyter."""
    logdir = [] if os.environ.get("INSIGHT_HOST_LOGDIR") else ["--logdir", _literally(os.getcwd())]
    own = "localhost:{port}"
    return {
        "command": [_literally(sys.executable), "-P", "-m", "insight_core.cli", "--port", "{port}", *logdir],
        "timeout": _TIMEOUT,
        # Who gets through Jupyter's log-in asks under the name of Jupyter, which the host does not know.
        "request_headers_override": {"Host": own, "Origin": f"http://{own}"},
        "launcher_entry": {"title": "insight-host", "icon_path": str(STATIC / "favicon.svg")},
    }


def _literally(text: str) -> str:
    """As what remains of it: jupyter-server-proxy puts the port in with ``str.format``."""
    return text.replace("{", "{{").replace("}", "}}")
