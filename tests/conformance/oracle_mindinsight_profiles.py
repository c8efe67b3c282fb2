"""Run by the Python of an environment with MindInsight: what its profiler routes answer, as JSON.

``oracle_mindinsight_profiles.py ROOT REQUESTS``: REQUESTS is a JSON list of ``[method, route, parameters,
body]``; the answer a list of ``[status, body]``. Routes that say "loading" are asked
again until they are through.
"""

from __future__ import annotations

import json
import os
import sys
import time
import types
from typing import Any

_PATIENCE = 60  # seconds


def main() -> None:
    os.environ.setdefault("MINDINSIGHT_WORKSPACE", os.environ.get("TMPDIR", "/tmp"))
    # imported by modules of routes that are asked for, used only by those that are not (Marey's)
    sys.modules["pandas"] = types.ModuleType("pandas")
    from flask import Flask, Response  # type: ignore[import-not-found, unused-ignore]

    # the whole application, debugger and all, of which a class of answers is wanted
    application = types.ModuleType("mindinsight.backend.application")
    application.CustomResponse = Response  # type: ignore[attr-defined]
    sys.modules[application.__name__] = application
    from mindinsight.backend.profiler import (  # type: ignore[import-not-found]
        parallel_strategy_api,
        profile_api,
    )
    from mindinsight.conf import settings  # type: ignore[import-not-found]

    settings.SUMMARY_BASE_DIR = os.path.realpath(sys.argv[1])
    oracle = Flask("oracle")
    for routes in (profile_api, parallel_strategy_api):
        oracle.register_blueprint(routes.BLUEPRINT)
    client = oracle.test_client()
    answers = []
    for method, route, parameters, body in json.loads(sys.argv[2]):
        answers.append(_answer(client, method, f"/v1/mindinsight/{route}", parameters, body))
    json.dump(answers, sys.stdout)


def _answer(client: Any, method: str, url: str, parameters: Any, body: Any) -> list[Any]:  # noqa: ANN401
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            response = client.open(url, method=method, query_string=parameters, json=body)
        except Exception as error:  # what the host would answer with 500
            return [500, f"{type(error).__name__}: {error}"]
        found = response.get_json(force=True, silent=True)
        is_loading = isinstance(found, dict) and found.get("status") in ("pending", "loading")
        if not is_loading or time.monotonic() > deadline:
            return [response.status_code, found]
        time.sleep(0.1)


if __name__ == "__main__":
    main()
