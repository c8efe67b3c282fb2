"""A claim of some tags of a field takes their values, whenever the plugin comes, in every data provider."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from insight_remote.host_client import decoding

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Claim, Dialect, EventField, Plugin, RecordDecoder
from insight_core.plugin import claims as plugin_claims
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider
from insight_core.rpc.messages import claim_message, claim_of
from insight_core.store import claims

WHOLE = EventField(Dialect.MINDSPORE, "tensor")
SOME = EventField(Dialect.MINDSPORE, "tensor", tags="calibration/*")
TENSORS = Plugin("tensors", "Tensors", decoder=RecordDecoder({WHOLE}))
CALIBRATION = Plugin("calibration", "Calibration", decoder=RecordDecoder({SOME}))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    tensor = b"\x42" + bytes([4]) + b"\x08\x01\x10\x01"  # field 8
    tags = (b"weights", b"calibration/a/b", b"bias")
    summary = wire.summary([b"\x0a" + bytes([len(tag)]) + tag + tensor for tag in tags])
    version = b"\x09" + bytes(8) + b"\x1a\x11MindSpore.Event:1"
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    (run / "x.summary.1.events").write_bytes(
        wire.record(version) + b"".join(wire.record(wire.event(step, 1.0, summary)) for step in range(3))
    )
    return tmp_path


def opened(logs: Path, plugins: Sequence[Plugin]) -> LocalProvider:
    provider = LocalProvider(
        [Logdir(str(logs / "logs"))], plugins, reload_interval=0, cache_directory=logs / "cache"
    )
    provider.load()
    return provider


def tags(provider: LocalProvider, plugin: str) -> list[str]:
    return sorted(info.key.tag for info in provider.series(plugin))


def test_its_values_are_those_of_these_tags_and_the_others_stay(logs: Path) -> None:
    with closing(opened(logs, [TENSORS, CALIBRATION])) as provider:
        assert tags(provider, "calibration") == ["calibration/a/b"]
        assert tags(provider, "tensors") == ["bias", "weights"]
        [info] = provider.series("calibration")
        assert info.claims == (SOME,)
        assert provider.records("calibration", SeriesKey("run", "calibration/a/b")).steps.tolist() == [
            0,
            1,
            2,
        ]


def test_an_index_made_with_other_plugins_is_noticed(logs: Path) -> None:
    for plugins, left in (([TENSORS], 3), ([TENSORS, CALIBRATION], 2), ([TENSORS], 3), ([], 0)):
        with closing(opened(logs, plugins)) as provider:
            assert len(tags(provider, "tensors")) == left
            assert len(tags(provider, "calibration")) == (CALIBRATION in plugins)


@pytest.mark.parametrize("before", [[], [TENSORS]], ids=["unclaimed", "claimed"])
def test_a_plugin_that_comes_late_gets_what_was_read(logs: Path, before: list[Plugin]) -> None:
    with closing(opened(logs, before)) as provider:
        provider.admit(CALIBRATION)
        assert tags(provider, "calibration") == ["calibration/a/b"]
        assert tags(provider, "tensors") == (["bias", "weights"] if before else [])


def test_the_longest_pattern_decides(logs: Path) -> None:
    longer = EventField(Dialect.MINDSPORE, "tensor", tags="calibration/a/*")
    other = Plugin("other", "Other", decoder=RecordDecoder({longer}))
    with closing(opened(logs, [CALIBRATION, other])) as provider:
        assert tags(provider, "other") == ["calibration/a/b"]
        assert tags(provider, "calibration") == []


@pytest.mark.parametrize("reverse", [False, True])
def test_of_equally_long_patterns_that_with_fewer_wildcards_then_the_first(reverse: bool) -> None:
    patterns = ["a/?*", "a/b*", "a/*?", "?/b*", "a/bc", "*/bc"]
    plugins = [
        Plugin(f"p{i}", "P", decoder=RecordDecoder({EventField(Dialect.MINDSPORE, "tensor", tags=each)}))
        for i, each in enumerate(patterns)
    ]
    known = claims.Claims(plugins[::-1] if reverse else plugins, {})
    decides = {
        tag: claim.tags
        for tag in ("a/bc", "a/bd", "x/bc", "x/bd", "a/c")
        if isinstance(claim := known.of_tag(WHOLE, tag), EventField)
    }
    assert decides == {"a/bc": "a/bc", "a/bd": "a/b*", "x/bc": "*/bc", "x/bd": "?/b*", "a/c": "a/*?"}


def test_it_travels_as_text_and_as_message() -> None:
    claim: Claim = EventField(Dialect.MINDSPORE, "tensor", tags="a:b/*")
    assert plugin_claims.claim_of(str(claim)) == decoding.claim_of(str(claim)) == claim
    assert claim_of(claim_message(claim)) == claim
