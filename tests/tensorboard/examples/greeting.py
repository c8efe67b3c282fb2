"""A plugin of TensorBoard that a loader makes, with flags of its own, an error of its own, and a page.

Written from the contract of ``tensorboard_plugins``; it imports nothing of this host.
"""

# mypy: disable-error-code="arg-type, misc"
# since the decorator of werkzeug is declared for functions alone

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Callable
from typing import Any

from tensorboard import errors, plugin_util
from tensorboard.plugins import base_plugin
from werkzeug import Request, Response

_MODULE = "export function render() { document.body.append('Hello from a plugin'); }"


class Loader(base_plugin.TBLoader):
    def define_flags(self, parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("greeting")
        group.add_argument("--greeting", default="hello")
        group.add_argument("--port", default="its own")  # collides with none of the host's

    def fix_flags(self, flags: argparse.Namespace) -> None:
        if not flags.greeting:
            raise base_plugin.FlagsError("--greeting is empty")
        flags.greeting = flags.greeting.capitalize()

    def load(self, context: base_plugin.TBContext) -> base_plugin.TBPlugin:
        return Greeting(context)


class Greeting(base_plugin.TBPlugin):
    plugin_name = "greeting"

    def __init__(self, context: base_plugin.TBContext) -> None:
        self._context = context

    def get_plugin_apps(self) -> dict[str, Callable[..., Any]]:
        return {
            "/index.js": self._module,
            "/flags": self._flags,
            "/where": self._where,
            "/refuse": self._refuse,
            "/child": self._child,
        }

    def is_active(self) -> bool:
        return True

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        return base_plugin.FrontendMetadata(es_module_path="/index.js")

    @Request.application
    def _module(self, request: Request) -> Response:
        return Response(_MODULE, content_type="text/javascript")

    @Request.application
    def _flags(self, request: Request) -> Response:
        flags: Any = self._context.flags
        return _json({"greeting": flags.greeting, "logdir": flags.logdir, "context": self._context.logdir})

    @Request.application
    def _where(self, request: Request) -> Response:
        context = plugin_util.context(request.environ)
        return _json(
            {
                "script": request.environ["SCRIPT_NAME"],
                "path": request.environ["PATH_INFO"],
                "experiment": plugin_util.experiment_id(request.environ),
                "flags": context.client_feature_flags,
                "context": type(context).__name__,
            }
        )

    @Request.application
    def _refuse(self, request: Request) -> Response:
        raise errors.UnauthenticatedError("who are you", challenge="Digest")

    @Request.application
    def _child(self, request: Request) -> Response:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return _json({"text": pool.apply(in_child)})


def in_child() -> str:
    return str(errors.NotFoundError("a run"))


def _json(value: object) -> Response:
    return Response(json.dumps(value), content_type="application/json")
