"""The HTTP side of the embeddings: the list, points along components, metadata, neighbours."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from werkzeug import Request, Response

from insight_core.plugin import (
    InvalidArgument,
    NotFound,
    PluginContext,
    Reason,
    ReasonKind,
    Route,
    Undecodable,
    Values,
)
from insight_core.plugin.data import RecordPlace
from insight_core.plugin.http import (
    bytes_response,
    choice,
    flag,
    json_response,
    safetensors_response,
    text,
    texts,
    whole_number,
)
from insight_embeddings.catalogue import Catalogue, Embedding
from insight_embeddings.config import configured_embeddings
from insight_embeddings.matrix import MOST_VALUES, Matrix, matrix_of
from insight_embeddings.metadata import Sprite, metadata_of, sprite_of
from insight_embeddings.neighbours import (
    METRICS,
    Metric,
    NeighbourGraph,
    distances_to,
    nearest,
    neighbour_graph,
)
from insight_embeddings.pca import Projection, projection_of

MOST_NEIGHBOURS = 1_000
MOST_GRAPH_NEIGHBOURS = 300
_FORMAT, _METRIC = choice("format", ("json", "safetensors")), choice("metric", METRICS)
_JSON, _BOTH = ("application/json",), ("application/json", "application/octet-stream")
_CODES = {404: ("embeddings_unknown",)}
_NEAR, _PICTURE = (
    {**_CODES, 400: ("embeddings_no_point",)},
    {404: ("embeddings_unknown", "embeddings_no_sprite")},
)
T = TypeVar("T")
_NO_SPRITE = ReasonKind("embeddings_no_sprite", "{name!r} has no pictures")
_NO_POINT = ReasonKind("embeddings_no_point", "there is no point {point}: the embedding has {points}")


def routes(ctx: PluginContext[bytes]) -> Sequence[Route]:
    """Embeddings of runs and everything about one of them."""
    views = _Views(ctx)
    named = (text("run", required=True), text("name", required=True))
    point = whole_number("point", 0, MOST_VALUES, required=True)
    count, graph_count = (
        whole_number("count", 1, MOST_NEIGHBOURS, 20),
        whole_number("count", 2, MOST_GRAPH_NEIGHBOURS, 15),
    )
    return [
        Route("/embeddings", views.embeddings, reads=[texts("run").named("runs")], answers=_JSON),
        Route(
            "/points", views.points, reads=[_FORMAT, flag("unit_length"), *named], answers=_BOTH, codes=_CODES
        ),
        Route("/metadata", views.metadata, reads=named, answers=_JSON, codes=_CODES),
        Route("/sprite", views.sprite, reads=named, codes=_PICTURE),
        Route(
            "/neighbours", views.neighbours, reads=[_METRIC, count, point, *named], answers=_JSON, codes=_NEAR
        ),
        Route(
            "/graph", views.graph, reads=[_FORMAT, _METRIC, graph_count, *named], answers=_BOTH, codes=_CODES
        ),
    ]


class _Views:
    def __init__(self, ctx: PluginContext[bytes]) -> None:
        contents = ctx.values
        self.catalogue = Catalogue(ctx.own, contents.derived(configured_embeddings))
        self.sprites = contents.derived(sprite_of)

        def derived(make: Callable[..., T]) -> Callable[..., Values[T]]:
            """Values that depend on more than the content of a file: one kind for each of the arguments."""
            return functools.lru_cache(maxsize=64)(
                lambda *arguments: contents.derived(lambda content: make(content, *arguments))
            )

        self.matrices = derived(matrix_of)
        self.columns = derived(metadata_of)
        self.projections = functools.lru_cache(maxsize=64)(
            lambda shape, unit_length: self.matrices(shape).derived(
                functools.partial(projection_of, unit_length=unit_length)
            )
        )

        self.graphs = functools.lru_cache(maxsize=64)(
            lambda shape, metric, count: self.matrices(shape).derived(
                functools.partial(neighbour_graph, metric=metric, count=count)
            )
        )

    def embeddings(self, request: Request, *, runs: Sequence[str]) -> Response:
        """Names, groups and steps of the embeddings of each ``run``, and why some cannot be shown."""
        answer = []
        for run in dict.fromkeys(runs):
            found, errors = self.catalogue.of_run(run)
            answer.append(
                {
                    "run": run,
                    "embeddings": [_listed(embedding) for embedding in found],
                    "errors": [Reason.of(error).fields() for error in errors],
                }
            )
        return json_response({"runs": answer})

    def points(self, request: Request, *, format: str, unit_length: bool, run: str, name: str) -> Response:
        """Coordinates of the points along their principal components: component after component."""
        embedding, place = self._embedding(run, name)
        shape = embedding.configured.shape
        matrix = self.matrices(shape).at(place)
        projection: Projection = self.projections(shape, unit_length).at(place)
        described = {
            "points": len(matrix.values),
            "dimensions": matrix.values.shape[1],
            "components": len(projection.coordinates),
            "shares": projection.shares,
            "not_finite": int((~matrix.finite).sum()),
        }
        if format == "json":
            return json_response({**described, "coordinates": projection.coordinates})
        return safetensors_response({"coordinates": projection.coordinates.ravel()}, "points", described)

    def metadata(self, request: Request, *, run: str, name: str) -> Response:
        """The columns of the metadata: ``labels``, and for each point the index of its label."""
        embedding, place = self._embedding(run, name)
        if embedding.metadata is None:
            return json_response({"columns": []})
        points = len(self.matrices(embedding.configured.shape).at(place).values)
        columns = self.columns(points).at(embedding.metadata)
        return json_response(
            {
                "columns": [
                    {
                        "name": column.name,
                        "labels": column.labels,
                        "codes": column.codes,
                        "is_number": column.numbers is not None,
                    }
                    for column in columns
                ]
            }
        )

    def sprite(self, request: Request, *, run: str, name: str) -> Response:
        """The picture that holds the small pictures of all points, row by row."""
        embedding, _ = self._embedding(run, name)
        if embedding.sprite is None:
            raise NotFound(_NO_SPRITE(name=embedding.name))
        sprite: Sprite = self.sprites.at(embedding.sprite)
        return bytes_response(sprite.content, sprite.media_type)

    def neighbours(
        self, request: Request, *, metric: Metric, count: int, point: int, run: str, name: str
    ) -> Response:
        """The nearest points in all dimensions, with their distances, the nearest first."""
        embedding, place = self._embedding(run, name)
        matrix: Matrix = self.matrices(embedding.configured.shape).at(place)
        if point >= len(matrix.values):
            raise InvalidArgument(_NO_POINT(point=point, points=len(matrix.values)))
        with np.errstate(invalid="ignore"):
            distances = distances_to(matrix.values, point, metric)
        found = nearest(distances, point, count)
        return json_response({"points": found, "distances": distances[found]})

    def graph(
        self, request: Request, *, format: str, metric: Metric, count: int, run: str, name: str
    ) -> Response:
        """The nearest neighbours of all points, or of a sample: what t-SNE and UMAP begin with."""
        embedding, place = self._embedding(run, name)
        graph: NeighbourGraph = self.graphs(embedding.configured.shape, metric, count).at(place)
        if format == "json":
            return json_response(
                {"points": graph.points, "indices": graph.indices, "distances": graph.distances}
            )
        columns = {
            "points": graph.points,
            "indices": graph.indices.ravel(),
            "distances": graph.distances.ravel(),
        }
        return safetensors_response(columns, "graph", {"neighbours": graph.indices.shape[1]})

    def _embedding(self, run: str, name: str) -> tuple[Embedding, RecordPlace]:
        embedding = self.catalogue.embedding(run, name)
        if embedding.tensor is None:
            raise Undecodable(embedding.problem)
        return embedding, embedding.tensor


def _listed(embedding: Embedding) -> dict[str, object]:
    configured = embedding.configured
    return {
        "name": embedding.name,
        "group": configured.group,
        "step": configured.step,
        "file": embedding.tensor.key.tag if embedding.tensor else configured.tensor,
        "version": embedding.version,
        "has_metadata": embedding.metadata is not None,
        "picture_size": configured.picture_size if embedding.sprite else None,
        "problem": embedding.problem and embedding.problem.fields(),
        "missing": [reason.fields() for reason in embedding.missing],
    }
