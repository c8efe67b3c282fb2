"""The smallest useful plugin of TensorBoard: which tags each run has scalars under, greeted by name.

Written from the contract of ``tensorboard_plugins``; it imports nothing of this host.
"""

# mypy: disable-error-code="arg-type, misc"
# since the decorator of werkzeug is declared for functions alone

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tensorboard import plugin_util
from tensorboard.backend import http_util
from tensorboard.data import provider
from tensorboard.plugins import base_plugin
from tensorboard.plugins.scalar import metadata
from werkzeug import Request, Response

_STATIC = os.path.join(os.path.dirname(__file__), "scalars_by_tag_static")


class ScalarsByTag(base_plugin.TBPlugin):
    plugin_name = "scalars_by_tag"

    def __init__(self, context: base_plugin.TBContext) -> None:
        super().__init__(context)
        self._data: Any = context.data_provider
        self._hints = context.sampling_hints or {}

    def get_plugin_apps(self) -> dict[str, Callable[..., Any]]:
        return {"/tags": self._tags, "/scalars": self._scalars, "/static/*": self._static}

    def is_active(self) -> bool:
        return False  # the data alone decide

    def data_plugin_names(self) -> tuple[str, ...]:
        return (metadata.PLUGIN_NAME,)

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        return base_plugin.FrontendMetadata(
            es_module_path="/static/index.js", tab_name="By tag", remove_dom=True, disable_reload=True
        )

    @Request.application
    def _tags(self, request: Request) -> Response:
        found = self._data.list_scalars(
            plugin_util.context(request.environ),
            experiment_id=plugin_util.experiment_id(request.environ),
            plugin_name=metadata.PLUGIN_NAME,
        )
        return http_util.Respond(
            request, {run: sorted(tags) for run, tags in found.items()}, "application/json"
        )

    @Request.application
    def _scalars(self, request: Request) -> Response:
        run, tag = request.args.get("run"), request.args.get("tag")
        if run is None or tag is None:
            return http_util.Respond(request, "run and tag, please", "text/plain", code=400)
        read = self._data.read_scalars(
            plugin_util.context(request.environ),
            experiment_id=plugin_util.experiment_id(request.environ),
            plugin_name=metadata.PLUGIN_NAME,
            downsample=self._hints.get(metadata.PLUGIN_NAME, 1000),
            run_tag_filter=provider.RunTagFilter(runs=[run], tags=[tag]),
        )
        points = [(point.wall_time, point.step, point.value) for point in read[run][tag]]
        return http_util.Respond(request, points, "application/json")

    @Request.application
    def _static(self, request: Request) -> Response:
        name = request.path.removeprefix(f"/data/plugin/{self.plugin_name}/static/")
        if "/" in name or name.startswith("."):
            return http_util.Respond(request, "Not found", "text/plain", code=404)
        with open(os.path.join(_STATIC, name), "rb") as file:
            return http_util.Respond(request, file.read(), "text/javascript")
