"""Plugins as authors write them for TensorBoard: a page of their own each, and different manners."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorboard import plugin_util
from tensorboard.backend import experimental_plugin
from tensorboard.plugins import base_plugin
from werkzeug import Request, Response

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

STATIC = Path(__file__).parent / "static"


class Guest(base_plugin.TBPlugin):
    """Shows what it hears of the page."""

    plugin_name = "guest"
    module = "/static/index.js"
    manners: Mapping[str, Any] = {}

    def __init__(self, context: base_plugin.TBContext) -> None:
        self._data: Any = context.data_provider
        self._is_well = False

    def get_plugin_apps(self) -> dict[str, WSGIApplication]:
        views = {"/static/*": self._static, "/tags": self._tags, "/fails": self._fails, "/moody": self._moody}
        return {route: Request.application(view) for route, view in views.items()}

    def is_active(self) -> bool:
        return True

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        return base_plugin.FrontendMetadata(
            es_module_path=self.module, tab_name=self.plugin_name.capitalize(), **self.manners
        )

    def _static(self, request: Request) -> Response:
        return Response((STATIC / Path(request.path).name).read_bytes(), content_type="text/javascript")

    def _tags(self, request: Request) -> Response:
        found = self._data.list_scalars(
            plugin_util.context(request.environ),
            experiment_id=plugin_util.experiment_id(request.environ),
            plugin_name="scalars",
        )
        tags = {run: sorted(series) for run, series in found.items()}
        return Response(json.dumps(tags), content_type="application/json")

    def _fails(self, request: Request) -> Response:
        raise RuntimeError("this route never worked")

    def _moody(self, request: Request) -> Response:
        """Fails every other time."""
        self._is_well = not self._is_well
        if self._is_well:
            raise RuntimeError("not in the mood")
        return Response("fine")


class Fleeting(Guest):
    plugin_name = "fleeting"
    manners = {"remove_dom": True, "disable_reload": True}  # noqa: RUF012


class Experiment(experimental_plugin.ExperimentalPlugin, Guest):
    plugin_name = "experiment"


class Clumsy(Guest):
    plugin_name = "clumsy"
    module = "/static/clumsy.js"


class Late(Guest):
    plugin_name = "late"

    def __init__(self, context: base_plugin.TBContext) -> None:
        super().__init__(context)
        time.sleep(2)
