"""Reads ``projector_config.pbtxt``: which embeddings a run has, and in which files they are."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.payloads import MessageTypes

_TYPES = MessageTypes(Path(__file__).with_name("projector.binpb"))
_LONGEST = 4 << 20  # bytes of a configuration
MOST_EMBEDDINGS = 10_000  # of a configuration: they are read in a third of a second
_ENTRY = re.compile(rb"\bembeddings\s*:?\s*[{<]")
_OF_STEP = re.compile(r"(?P<group>.+):(?P<step>\d{5,15})")  # the names that ``add_embedding`` gives
_MANY = ReasonKind("embeddings_many", "the file names more than {most:,} embeddings")
_BAD_CONFIG = ReasonKind(
    "embeddings_bad_config", "the file is not a projector configuration in protobuf's text format: {cause}"
)


@frozen
class Configured:
    """One embedding of a configuration. ``name`` is unique in it; paths are as written, "" without one.

    ``group`` and ``step`` are those of a name like ``words:00040``; ``step`` is None for other names.
    ``shape`` is (points, dimensions), or empty where the configuration does not say. ``picture_size`` is the
    (width, height) of one picture of the sprite.
    """

    name: str
    group: str
    step: int | None
    tensor: str
    shape: tuple[int, ...]
    metadata: str
    sprite: str
    picture_size: tuple[int, int] | None


def configured_embeddings(content: bytes) -> list[Configured]:
    """The embeddings of a configuration, in its order. Raises ValueError for a malformed one."""
    from google.protobuf import text_format  # slow to load

    if len(content) > _LONGEST:
        text = f"the file has {len(content):,} bytes, more than {_LONGEST:,}"
        raise ValueError(Reason(text, "embeddings_long_config", most=_LONGEST))
    if sum(1 for _ in _ENTRY.finditer(content)) > MOST_EMBEDDINGS:
        raise ValueError(_MANY(most=MOST_EMBEDDINGS))
    projector = _TYPES.new("Projector")
    try:
        text_format.Parse(content.decode(), projector, allow_unknown_field=True)
    except (text_format.ParseError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(_BAD_CONFIG(cause=str(error))) from error
    names: Counter[str] = Counter()
    found = []
    for embedding in projector.embeddings:
        name = embedding.tensor_name.removesuffix(":0") or posixpath.basename(embedding.tensor_path)
        names[name] += 1
        match = _OF_STEP.fullmatch(name)
        size = tuple(embedding.sprite.single_image_dim)
        found.append(
            Configured(
                name=name if names[name] == 1 else f"{name}~{names[name]}",
                group=match["group"] if match else name,
                step=int(match["step"]) if match else None,
                tensor=embedding.tensor_path,
                shape=tuple(embedding.tensor_shape),
                metadata=embedding.metadata_path,
                sprite=embedding.sprite.image_path,
                picture_size=(size[0], size[1]) if len(size) == 2 and all(size) else None,
            )
        )
    return found


def file_tag(config: str, path: str, tags: Iterable[str]) -> str | None:
    """The one of ``tags`` (paths in a run) that a configuration means by ``path``; None if none is meant.

    A relative path begins at the directory of the configuration and stays below it. Of an absolute path the
    end counts, because logs are read elsewhere than they were written.
    """
    known = set(tags)
    path = path.replace("\\", "/")
    if not posixpath.isabs(path) and not re.match(r"[A-Za-z]:/", path):
        directory = posixpath.dirname(config)
        tag = posixpath.normpath(posixpath.join(directory, path))
        below = tag.startswith(f"{directory}/") if directory else not tag.startswith("../")
        return tag if below and tag in known else None
    parts = posixpath.normpath(path).split("/")[1:]
    ends = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((end for end in ends if end in known), None)
