"""All that the dashboards of a running TensorBoard show, by URL."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any, TypeAlias

Answers: TypeAlias = dict[str, Any]

_STATUSES = ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]


class Dashboards:
    """The answers of one TensorBoard, at ``url``."""

    def __init__(self, url: str) -> None:
        self._url = url

    def everything(self) -> Answers:
        """Each answer by its URL; blobs in place of the keys by which they are fetched."""
        answers: Answers = {}
        for path in ("runs", "plugins_listing", "plugin/timeseries/tags"):
            answers[path] = self.json(path)
        for part in (
            self._scalars,
            self._histograms,
            self._media,
            self._text,
            self._curves,
            self._hparams,
            self._graphs,
            self._meshes,
            self._custom_scalars,
            self._time_series,
        ):
            answers.update(part())
        return answers

    def fetch(self, path: str, body: object = None, **parameters: object) -> bytes:
        """The body of an answer; of an error, its status and text."""
        query = "?" + urllib.parse.urlencode(parameters, doseq=True) if parameters else ""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._url}/data/{path}{query}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                content: bytes = answer.read()
                return content
        except urllib.error.HTTPError as error:
            return f"{error.code} ".encode() + error.read()

    def json(self, path: str, body: object = None, **parameters: object) -> Any:  # noqa: ANN401
        content = self.fetch(path, body, **parameters)
        try:
            return json.loads(content)
        except ValueError:
            return content

    def _series(self, plugin: str) -> Iterator[tuple[str, str, Any]]:
        for run, tags in sorted(self.json(f"plugin/{plugin}/tags").items()):
            for tag in sorted(tags):
                yield run, tag, tags[tag] if isinstance(tags, dict) else None

    def _of_each(self, plugin: str, path: str) -> Iterator[tuple[str, Any]]:
        yield f"{plugin} tags", self.json(f"plugin/{plugin}/tags")
        for run, tag, _ in self._series(plugin):
            yield f"{plugin} {path} {run} {tag}", self.json(f"plugin/{plugin}/{path}", run=run, tag=tag)

    def _scalars(self) -> Iterator[tuple[str, Any]]:
        yield from self._of_each("scalars", "scalars")

    def _histograms(self) -> Iterator[tuple[str, Any]]:
        yield from self._of_each("histograms", "histograms")
        yield from self._of_each("distributions", "distributions")

    def _text(self) -> Iterator[tuple[str, Any]]:
        yield from self._of_each("text", "text")

    def _curves(self) -> Iterator[tuple[str, Any]]:
        yield from self._of_each("pr_curves", "pr_curves")

    def _media(self) -> Iterator[tuple[str, Any]]:
        for plugin, one in (("images", "individualImage"), ("audio", "individualAudio")):
            yield f"{plugin} tags", self.json(f"plugin/{plugin}/tags")
            for run, tag, about in self._series(plugin):
                for sample in range(about["samples"]):
                    listed = self.json(f"plugin/{plugin}/{plugin}", run=run, tag=tag, sample=sample)
                    for entry in listed:
                        key = urllib.parse.parse_qs(entry.pop("query"))["blob_key"][0]
                        entry["blob"] = self.fetch(f"plugin/{plugin}/{one}", blob_key=key)
                        entry.pop("contentType", None)  # ours know that it is WAV
                    yield f"{plugin} {run} {tag} {sample}", listed

    def _hparams(self) -> Iterator[tuple[str, Any]]:
        experiment = self.json("plugin/hparams/experiment", {"experimentName": ""})
        yield "hparams experiment", experiment
        if not isinstance(experiment, dict):
            return
        columns = [
            *({"hparam": info["name"]} for info in experiment.get("hparamInfos", ())),
            *({"metric": info["name"]} for info in experiment.get("metricInfos", ())),
        ]
        request = {"allowedStatuses": _STATUSES, "colParams": columns, "startIndex": 0, "sliceSize": 1000}
        groups = self.json("plugin/hparams/session_groups", request)
        yield "hparams session_groups", groups
        for group in groups["sessionGroups"]:
            for session in group["sessions"]:
                for value in session.get("metricValues", ()):
                    asked = {"sessionName": session["name"], "metricName": value["name"]}
                    yield f"hparams metric_evals {asked}", self.json("plugin/hparams/metric_evals", asked)

    def _graphs(self) -> Iterator[tuple[str, Any]]:
        info = self.json("plugin/graphs/info")
        yield "graphs info", info
        for run, about in sorted(info.items()):
            if about["run_graph"]:
                yield f"graphs graph {run}", self.fetch("plugin/graphs/graph", run=run)
            for tag, has in sorted(about["tags"].items()):
                for conceptual in (False, True):
                    if has["conceptual_graph" if conceptual else "op_graph"]:
                        asked = {"run": run, "tag": tag, "conceptual": str(conceptual).lower()}
                        yield f"graphs graph {asked}", self.fetch("plugin/graphs/graph", **asked)
                if has["profile"]:
                    yield (
                        f"graphs run_metadata {run} {tag}",
                        self.fetch("plugin/graphs/run_metadata", run=run, tag=tag),
                    )

    def _meshes(self) -> Iterator[tuple[str, Any]]:
        yield "mesh tags", self.json("plugin/mesh/tags")
        for run, tag, about in self._series("mesh"):
            for sample in range(about["samples"]):
                place = {"run": run, "tag": tag, "sample": sample}
                listed = self.json("plugin/mesh/meshes", **place)
                listed.sort(key=lambda entry: (entry["step"], entry["content_type"]))  # they come unsorted
                yield f"mesh {place}", listed
                for entry in listed:
                    for content in ("VERTEX", "FACE", "COLOR"):
                        asked = {**place, "content_type": content, "step": entry["step"]}
                        yield f"mesh {asked}", self.fetch("plugin/mesh/data", **asked)

    def _custom_scalars(self) -> Iterator[tuple[str, Any]]:
        yield "custom_scalars layout", self.json("plugin/custom_scalars/layout")
        for run in self.json("runs"):
            yield (
                f"custom_scalars scalars {run}",
                self.json("plugin/custom_scalars/scalars", run=run, tag=".*"),
            )

    def _time_series(self) -> Iterator[tuple[str, Any]]:
        tags = self.json("plugin/timeseries/tags")
        requests: list[dict[str, Any]] = []
        for plugin in ("scalars", "histograms"):
            for run, listed in tags[plugin]["runTagInfo"].items():
                requests += [{"plugin": plugin, "run": run, "tag": tag} for tag in listed]
        for tag, runs in tags["images"]["tagRunSampledInfo"].items():
            for run, info in runs.items():
                samples = range(info["maxSamplesPerStep"])
                requests += [{"plugin": "images", "run": run, "tag": tag, "sample": n} for n in samples]
        for start in range(0, len(requests), 20):
            some = requests[start : start + 20]
            answers = self.json("plugin/timeseries/timeSeries", requests=json.dumps(some))
            for request, answer in zip(some, answers, strict=True):
                for points in answer["runToSeries"].values() if request["plugin"] == "images" else ():
                    for point in points:
                        key = point.pop("imageId")
                        point["blob"] = self.fetch("plugin/timeseries/imageData", imageId=key)
                yield f"timeseries {request}", answer
