"""The embeddings of a run: what its configurations name, and the files that are there."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from insight_core.plugin import NotFound, OwnData, Reason, ReasonKind, Undecodable, Values
from insight_core.plugin.data import RecordPlace, SeriesInfo, SeriesKey
from insight_embeddings.claims import CONFIGS
from insight_embeddings.config import Configured, file_tag

_UNKNOWN = ReasonKind("embeddings_unknown", "run {run!r} has no embedding {name!r}")
_MISSING_FILE = ReasonKind(
    "embeddings_missing_file",
    "the file {path!r}, which the configuration names, is not below the run under a name that is read: "
    "*.tsv or *.bytes for points, *.tsv for metadata, *sprite*.png or .jpg for pictures",
)
_CHECKPOINT = ReasonKind(
    "embeddings_checkpoint",
    "the configuration names no tensor_path for {name!r}: points in checkpoints of TensorFlow are not "
    "read; write them as a file, or open TensorBoard's own projector",
)


@frozen
class Embedding:
    """An embedding with its files; ``name`` is unique in the run.

    ``problem`` says why it cannot be shown, ``missing`` which of its other files are not there.
    """

    name: str
    configured: Configured
    tensor: RecordPlace | None
    metadata: RecordPlace | None
    sprite: RecordPlace | None
    problem: Reason | None = None
    missing: tuple[Reason, ...] = ()

    @property
    def version(self) -> str:
        """Another text whenever a file changes."""
        places = (self.tensor, self.metadata, self.sprite)
        return "-".join(f"{place.wall_time:.6f}" if place else "" for place in places)


@frozen
class Catalogue:
    """Finds embeddings in the files that the plugin claims."""

    own: OwnData
    configs: Values[Sequence[Configured]]

    def of_run(self, run: str) -> tuple[list[Embedding], list[Undecodable]]:
        """The embeddings of a run, and the configurations that cannot be read."""
        infos: dict[str, SeriesInfo] = {info.key.tag: info for info in self.own.series(runs=[run])}
        found: dict[str, Embedding] = {}
        errors = []
        for tag in sorted(tag for tag, info in infos.items() if not CONFIGS.isdisjoint(info.claims)):
            try:
                configured = self.configs.at(self.own.place_at(SeriesKey(run, tag), 0))
            except NotFound:  # the file went while it was looked for
                continue
            except Undecodable as error:
                errors.append(error)
                continue
            for each in configured:
                embedding = self._with_files(run, tag, each, infos)
                name = each.name if each.name not in found else f"{each.name}~{len(found)}"
                found[name] = evolve(embedding, name=name)
        return list(found.values()), errors

    def embedding(self, run: str, name: str) -> Embedding:
        """Raises NotFound for a name that the run does not have."""
        for embedding in self.of_run(run)[0]:
            if embedding.name == name:
                return embedding
        raise NotFound(_UNKNOWN(run=run, name=name))

    def _with_files(
        self, run: str, config: str, configured: Configured, infos: dict[str, SeriesInfo]
    ) -> Embedding:
        def place_of(path: str) -> RecordPlace | None:
            tag = file_tag(config, path, infos) if path else None
            if tag is None:
                return None
            try:
                return self.own.place_at(SeriesKey(run, tag), 0)
            except NotFound:
                return None

        tensor, metadata, sprite = map(place_of, (configured.tensor, configured.metadata, configured.sprite))
        problem = None
        if tensor is None:
            problem = _missing(configured.tensor) if configured.tensor else _in_checkpoint(configured.name)
        missing = [
            _missing(path)
            for path, place in ((configured.metadata, metadata), (configured.sprite, sprite))
            if path and place is None
        ]
        return Embedding(configured.name, configured, tensor, metadata, sprite, problem, tuple(missing))


def _missing(path: str) -> Reason:
    return _MISSING_FILE(path=path)


def _in_checkpoint(name: str) -> Reason:
    return _CHECKPOINT(name=name)
