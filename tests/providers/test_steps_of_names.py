"""Files of one pattern are records of one series at the steps of their names, in every data provider."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_remote.host_client import decoding

from insight_core.plugin import Dialect, EventField, FileName, InsightError, claims
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.rpc.messages import claim_message, claim_of
from tests.providers.conftest import EPOCHS, SAMPLES, Open
from tests.support.pictures import png
from tests.waiting import eventually

_NO_FILES = "TensorBoard's service knows no files"
DIFFERENCES = {
    "test_files_are_the_records_of_one_series": _NO_FILES,
    "test_without_a_tag_each_kind_of_name_is_a_series": _NO_FILES,
    "test_files_come_change_and_go": _NO_FILES,
    "test_a_file_that_cannot_be_read_leaves_the_others": _NO_FILES,
    "test_values_of_events_and_files_of_one_tag_are_one_series": _NO_FILES,
}
DIFFERENCES_OF_BUCKETS = {
    "test_a_file_that_cannot_be_read_leaves_the_others": "a bucket has no file without rights",
}
KEY = SeriesKey("run", "pred")


def picture(directory: Path, name: str, shade: int, seconds: float = 1_700_000_000.0) -> bytes:
    """Writes a PNG file whose size and pixels differ by ``shade``."""
    data = png(np.full((shade + 1, 3), shade))
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}")
    fresh.write_bytes(data)
    os.utime(fresh, (seconds, seconds))
    fresh.replace(path)
    return data


def begin(directory: Path) -> None:
    with EventWriter(directory / "run") as writer:
        writer.scalar("loss", 0, 1.0)


def contents(provider: DataProvider, key: SeriesKey = KEY) -> list[tuple[int, bytes]]:
    """Steps and payloads, as all are shown."""
    table = provider.records("pictures", key)
    read = [provider.payload("pictures", key, index).data for index in range(len(table.steps))]
    return list(zip(table.steps.tolist(), read, strict=True))


def follows(provider: DataProvider, written: dict[int, bytes]) -> None:
    """Waits until these files are all that is shown."""

    def shows() -> bool:
        try:
            return contents(provider) == sorted(written.items())
        except InsightError:  # a file went meanwhile
            return False

    eventually(shows)


def tags(provider: DataProvider) -> dict[str, int]:
    return {info.key.tag: info.points for info in provider.series("pictures")}


def test_files_are_the_records_of_one_series(open_provider: Open, tmp_path: Path) -> None:
    begin(tmp_path)
    numbers = [10, 2, -1, 9, 100, 0]
    written = {n: picture(tmp_path / "run/pred", f"epoch_{n}.png", i) for i, n in enumerate(numbers)}
    again = picture(tmp_path / "run/pred", "epoch_009.png", 20)  # of a step that another file has too
    for name in ("epoch_final.png", f"epoch_{1 << 63}.png"):
        picture(tmp_path / "run/pred", name, 30)
    provider = open_provider()
    expected = [(n, written[n]) for n in sorted(written)]
    expected.insert(3, (9, again))
    assert contents(provider) == expected
    own = {"pred/epoch_final.png", f"pred/epoch_{1 << 63}.png"}
    assert tags(provider) == {"pred": 7, **dict.fromkeys(own, 1)}
    [info] = provider.series("pictures", tags=["pred"])
    assert (info.first_step, info.last_step, info.attempts, info.claims) == (-1, 100, 1, (EPOCHS,))
    table = provider.records("pictures", KEY)
    assert (table.total, table.kept, table.hidden) == (7, 7, 0)
    assert table.sizes.tolist() == [len(data) for _, data in expected]
    payload = provider.payload("pictures", KEY, 1)
    assert (payload.data, payload.claim) == (written[0], EPOCHS)
    with provider.open_payload("pictures", KEY, 4, offset=1, length=3) as stream:
        assert (stream.file.read(), stream.size) == (b"PNG", len(written[9]))
    assert provider.damage() == []


def test_without_a_tag_each_kind_of_name_is_a_series(open_provider: Open, tmp_path: Path) -> None:
    begin(tmp_path)
    written = {
        (kind, step): picture(tmp_path / "run/samples", f"{kind}_{step:04}.png", 10 * at + step)
        for at, kind in enumerate(("cat", "dog"))
        for step in (7, 3)
    }
    provider = open_provider()
    assert tags(provider) == {"samples/cat_*.png": 2, "samples/dog_*.png": 2}
    for kind in ("cat", "dog"):
        found = contents(provider, SeriesKey("run", f"samples/{kind}_*.png"))
        assert found == [(3, written[kind, 3]), (7, written[kind, 7])]


def test_files_come_change_and_go(open_provider: Open, tmp_path: Path) -> None:
    begin(tmp_path)
    pictures = tmp_path / "run/pred"
    written = {n: picture(pictures, f"epoch_{n}.png", n) for n in (4, 8)}
    provider = open_provider(live=True)
    follows(provider, written)
    written[9] = picture(pictures, "epoch_9.png", 9)
    follows(provider, written)
    written[6] = picture(pictures, "epoch_6.png", 6)  # late, of a lower step
    follows(provider, written)
    written[6] = picture(pictures, "epoch_6.png", 16, 1_700_000_100.0)
    follows(provider, written)
    (pictures / "epoch_4.png").unlink()
    del written[4]
    follows(provider, written)
    for path in pictures.iterdir():
        path.unlink()
    eventually(lambda: tags(provider) == {})


def test_a_file_that_cannot_be_read_leaves_the_others(open_provider: Open, tmp_path: Path) -> None:
    begin(tmp_path)
    written = {n: picture(tmp_path / "run/pred", f"epoch_{n}.png", n) for n in (1, 2, 3)}
    provider = open_provider(live=True)
    eventually(lambda: tags(provider) == {"pred": 3})
    fresh = tmp_path / "run/pred/.epoch_2.png"
    fresh.symlink_to("epoch_2.png")  # to itself, once it has that name
    fresh.replace(tmp_path / "run/pred/epoch_2.png")
    del written[2]
    follows(provider, written)
    eventually(lambda: [each.file for each in provider.damage()] == ["run/pred/epoch_2.png"])


def test_values_of_events_and_files_of_one_tag_are_one_series(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run") as writer:
        for step in (0, 5):
            writer.image("pred", step, b"event", 1, 1)
    written = {n: picture(tmp_path / "run/pred", f"epoch_{n}.png", n) for n in (1, 9)}
    provider = open_provider()
    steps = provider.records("pictures", KEY).steps.tolist()
    assert steps == [0, 1, 5, 9]
    read = [provider.payload("pictures", KEY, index) for index in range(4)]
    assert [each.claim for each in read[1::2]] == [EPOCHS, EPOCHS]
    assert [each.data for each in read[1::2]] == [written[1], written[9]]
    assert all(b"event" in each.data for each in read[::2])
    assert {*provider.series("pictures")[0].claims} >= {EPOCHS, EventField(Dialect.TENSORBOARD, "image")}


@pytest.mark.parametrize("claim", [EPOCHS, SAMPLES, FileName("a:b*", step=r"(\d):/?", tag="a//b: c")])
def test_the_claim_travels_as_text_and_as_message(claim: FileName) -> None:
    assert claims.claim_of(str(claim)) == decoding.claim_of(str(claim)) == claim
    assert claim_of(claim_message(claim)) == claim
    assert claim != FileName(claim.pattern)
    assert claims.claim_of("file:a/*.x") == FileName("a/*.x")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"step": r"epoch_\d+"}, "has no group"),
        ({"step": r"(\d+"}, "is not a regular expression"),
        ({"step": r"a//(\d+)"}, "has no group that matches the step in the path"),
        ({"tag": "pred"}, "give step= too"),
        ({"step": r"(\d+)", "tag": "a\nb"}, "is not a tag"),
    ],
)
def test_steps_that_no_path_has_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        FileName("*.png", **given)


def test_what_holds_no_whole_number_is_no_step() -> None:
    assert FileName("*", step=r"(\d+)(?:\.\d+)?").place_of("a/step_12.5.png") == ("a/step_*.5.png", 12)
    assert FileName("*", step=r"=([\d.]+)\.png").place_of("lr=0.5.png") == ("lr=0.5.png", 0)
    assert FileName("*", step=r"x|(\d)", tag="t").place_of("x1") == ("x1", 0)
