"""What a start imports before the host listens: nothing that only requests need, no twin of compiled code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import json, os, sys
import insight_core.cli.serve as serving
from insight_core.cli import main

listen = serving._listen

def stop(*arguments):
    listen(*arguments)
    print(json.dumps(sorted(sys.modules)), flush=True)
    os._exit(0)

serving._listen = stop
sys.exit(main(sys.argv[1:]))
"""
LATER = {
    "insight_core.ingest.translation.translated_store",
    "insight_remote.mirror",
    "insight_core.formats.histograms",
    "insight_record.formats.image_headers",
    "insight_core.formats.tensors",
    "insight_core.plugin.payloads",
    "insight_core.rpc.serving",
    "insight_core.web.tls",
    "insight_graph.routes",
    "insight_log_tables.lines",
    "insight_scalar.routes",
    "encodings.idna",
    "http.client",
    "insight_access.guard",
    "insight_alerts.rules",
    "insight_core.contrast",
    "insight_core.filters",
    "insight_core.http",
    "insight_core.store.views",
    "insight_core.web.application",
    "insight_core.web.findings",
    "google.protobuf",
    "grpc",
    "ml_dtypes",
    "PIL",
    "regex",
    "safetensors",
    "sqlite3",
    "ssl",
    "tomllib",
    "werkzeug",
}
# ours, and what compiled modules and setuptools bring
OWN = ("insight_", "__", "_cython", "cython_runtime", "_distutils_hack")
# distributions of others: each costs every start some milliseconds
OTHERS = {"attr", "attrs", "inotify_simple", "numpy", "pluggy"}


def test_a_host_listens_without_what_only_requests_need(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    flags = ["--port=0", "--no-cache", f"--state-dir={tmp_path}/state", f"--logdir={tmp_path}/logs"]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *flags], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    imported = set(json.loads(done.stdout.splitlines()[-1]))
    assert {"insight_core.web.http_server", "insight_scalar"} <= imported
    assert imported & LATER == set()
    tops = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names
    assert {name for name in tops if not name.startswith(OWN)} <= OTHERS
