"""Fuzz targets: the decoder of every plugin, and what is made of a decoded value."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Claim, FileName, Plugin, TooLarge, encode_json
from insight_core.plugin.data import Payload
from insight_core.providers.local import LocalProvider
from insight_record.formats.image_headers import header_of
from tests.fuzz.target import Target, documented

LOGS = Path(__file__).parents[2] / "examples/logs"
_NAMES = (
    "image",
    "graph",
    "lineage",
    "landscape",
    "tensor",
    "histogram",
    "audio",
    "text",
    "media",
    "pr_curves",
)
_LONGEST_SEED = 1 << 14


def _of_image(pictures: Any) -> None:  # noqa: ANN401
    from insight_image.thumbnails import thumbnail

    for encoded in pictures.encoded[:2]:
        with documented(ValueError):
            thumbnail(encoded, header_of(encoded), 32)


def _of_audio(clips: Any) -> None:  # noqa: ANN401
    from insight_audio.wav import read_wav

    for encoded in clips.encoded[:2]:
        with documented(ValueError):
            read_wav(encoded).samples()


def _of_graph(model: Any) -> None:  # noqa: ANN401
    from insight_graph.model import GraphModel
    from insight_graph.opened import opened

    if isinstance(model, GraphModel):
        for is_readable in (False, True):
            encode_json(opened(model.view(is_readable), 0, model.times))
        for node in range(min(4, len(model.graph))):
            model.graph.details(node)


def _of_media(item: Any) -> None:  # noqa: ANN401
    from insight_media.shown import shown

    with documented(ValueError):
        encode_json(shown(item))


def _of_pr_curves(curve: Any) -> None:  # noqa: ANN401
    from insight_pr_curves import measures

    measures.average_precision(curve)
    measures.best_f1(curve)
    with documented(ValueError):
        measures.roc_area(*measures.roc(curve))


_FURTHER: dict[str, Callable[[Any], None]] = {
    "image": _of_image,
    "audio": _of_audio,
    "graph": _of_graph,
    "media": _of_media,
    "pr_curves": _of_pr_curves,
}


@cache
def _plugin(name: str) -> Plugin:
    plugin: Plugin = import_module(f"insight_{name}").insight_plugin()
    return plugin


@cache
def _claims(name: str) -> Sequence[Claim]:
    decoder = _plugin(name).decoder
    assert decoder is not None
    return sorted(decoder.claims, key=str)


def decode(name: str, data: bytes) -> None:
    """Decodes, encodes and checks; the first byte chooses among the claims of the plugin."""
    if not data:
        return
    decoder, claims = _plugin(name).decoder, _claims(name)
    assert decoder is not None
    assert decoder.decode is not None
    claim, payload = claims[data[0] % len(claims)], data[1:]
    if decoder.check is not None and isinstance(claim, FileName):
        for flaw in decoder.check(BytesIO(payload), claim):
            assert 0 <= flaw.offset <= len(payload)
    with documented(ValueError, TooLarge):
        value = decoder.decode(Payload(payload, claim))
        assert decoder.size_of(value) >= 0
        encode_json(decoder.encode(value))
        _FURTHER.get(name, lambda value: None)(value)


def _recorded(name: str) -> Iterator[bytes]:
    """Payloads of the sample logs, of each claim a few."""
    claims = _claims(name)
    provider = LocalProvider([Logdir(str(LOGS))], [_plugin(name)], reload_interval=0)
    try:
        provider.load()
        left = dict.fromkeys(range(len(claims)), 4)
        for info in provider.series(name):
            payload = provider.payload(name, info.key, 0)
            which = claims.index(payload.claim)
            if left[which] and 0 < len(payload.data) <= _LONGEST_SEED:
                left[which] -= 1
                yield bytes([which]) + payload.data
    finally:
        provider.close()


def _made(name: str) -> Iterator[bytes]:
    """Payloads that tests write, under every claim: some of them fit."""
    import numpy as np
    from insight_media.item import CONFUSION_MATRIX

    from insight_authoring.testing import wire
    from insight_authoring.testing.tensors import (
        histogram_proto,
        histogram_tensor,
        mindspore_tensor,
        tensorflow_tensor,
    )
    from tests.support import landscapes
    from tests.support.graphs import tensorflow_node
    from tests.support.pictures import png

    picture = png(np.arange(12, dtype=np.uint8).reshape(2, 2, 3))
    axis = np.arange(4.0)
    surface = landscapes.points(axis, axis, np.add.outer(axis, axis))
    some = {
        "image": [
            wire.text_tensor([b"2", b"2", picture]),
            b"\x08\x02\x10\x02" + wire.message_field(4, picture),
        ],
        "graph": [tensorflow_node("a", "Add") + tensorflow_node("b", "Mul", ["a"])],
        "landscape": [landscapes.mindspore_landscape(surface, path=landscapes.points(axis, axis, axis))],
        "tensor": [tensorflow_tensor(np.arange(6.0).reshape(2, 3)), mindspore_tensor(np.arange(6.0))],
        "histogram": [histogram_tensor(axis), histogram_proto(axis)],
        "audio": [wire.text_tensor([wav()]), wire.message_field(4, wav())],
        "text": [wire.text_tensor([b"some *text*", b"more"])],
        "media": [
            wire.text_tensor([b"text/csv", b"a,b\n1,x\n2,y\n"]),
            wire.text_tensor([b"application/vnd.plotly.v1+json", b'{"data": []}']),
            wire.text_tensor([CONFUSION_MATRIX.encode(), b'{"matrix": [[1, 2], [3, 4]]}']),
        ],
        "pr_curves": [tensorflow_tensor(np.ones((6, 4)))],
    }.get(name, [])
    for payload, which in itertools.product(some, range(len(_claims(name)))):
        yield bytes([which]) + payload


def wav() -> bytes:
    """Half a kilobyte of 16-bit samples at 8 kHz."""
    import wave

    file = BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8000)
        writer.writeframes(bytes(range(256)) * 2)
    return file.getvalue()


def _seeds(name: str) -> Iterator[bytes]:
    yield from _made(name)
    yield from _recorded(name)


TARGETS = [
    Target(name, partial(decode, name), partial(_seeds, name), longest=_LONGEST_SEED) for name in _NAMES
]
