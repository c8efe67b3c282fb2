"""Stores that are damaged, hostile, half written or written right now."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from insight_importers import databases, mlflow_files, swanlab_store, visualdl_store, wandb_store
from insight_importers.block_log import BLOCK, records_of

from insight_core.plugin import Translation
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.log_tables import yaml_value
from insight_core.plugin.payloads import MessageTypes
from insight_core.providers.local import LocalProvider

FIXTURES = Path(__file__).parent / "fixtures"
WANDB = FIXTURES / "wandb/wandb/offline-run-20260101_000000-abcd1234/run-abcd1234.wandb"
Opened = Callable[..., LocalProvider]
Translate = Callable[[str, Path], Translation]


def _translated(translate: Translate, source: Path, target: Path) -> Translation:
    """Everything that is there now."""
    target.mkdir(exist_ok=True)
    for _ in range(100):
        found = translate(str(source), target)
        if found.is_done:
            return found
    raise AssertionError("it never ended")


def _values(provider: LocalProvider, run: str, tag: str) -> list[float]:
    key = SeriesKey(run, tag)
    found = provider.scalars("scalar", [key])
    return found[key].values.tolist() if key in found else []


def _log(records: Sequence[bytes]) -> bytes:
    """A log of W&B with these records."""
    data = bytearray(b":W&B\xe1\xbe\x00")
    for record in records:
        begins = True
        while begins or record:
            left = BLOCK - len(data) % BLOCK
            if left < 7:
                data += bytes(left)
                continue
            part, record = record[: left - 7], record[left - 7 :]
            kind = (1 if not record else 2) if begins else (4 if not record else 3)
            begins = False
            crc = zlib.crc32(bytes((kind,)) + part)
            data += crc.to_bytes(4, "little") + len(part).to_bytes(2, "little") + bytes((kind,)) + part
    return bytes(data)


def _history(step: int, **values: str) -> bytes:
    types = MessageTypes(Path(wandb_store.__file__).with_name("wandb.binpb"))
    items = [{"nested_key": [key], "value_json": value} for key, value in values.items()]
    message: bytes = types.new("Record", history={"item": items, "step": {"num": step}}).SerializeToString()
    return message


def test_records_longer_than_a_block_are_read_whole() -> None:
    records = [b"a" * 10, b"b" * (3 * BLOCK), b"", b"c" * (BLOCK - 7 - 7 - 3)]
    data = _log(records)
    found = records_of(data, 0, 7)
    assert (found.records, found.flaws, found.end) == (records, [], len(data))


def test_a_log_that_grows_byte_by_byte_gives_the_same_as_the_whole_one(
    tmp_path: Path, opened: Opened
) -> None:
    whole, grown = tmp_path / "whole", tmp_path / "grown"
    _translated(wandb_store.translate, WANDB, whole)
    data, source = WANDB.read_bytes(), tmp_path / "run" / "a.wandb"
    source.parent.mkdir()
    shutil.copytree(WANDB.parent / "files", source.parent / "files")
    random = Random(1)
    with open(source, "wb") as file:
        file.write(data[:7])
        at = 7
        while at < len(data):
            file.flush()
            assert not _translated(wandb_store.translate, source, grown).flaws
            step = random.randrange(1, 1500)
            file.write(data[at : at + step])
            at += step
    assert not _translated(wandb_store.translate, source, grown).flaws
    expected, found = opened(whole), opened(grown)
    tags = {info.key.tag for info in expected.series("scalar")}
    assert len(tags) > 5
    for tag in tags:
        assert repr(_values(found, "000001", tag)) == repr(_values(expected, "000001", tag))
    assert {i.key: i.points for i in found.series("image")} == {
        i.key: i.points for i in expected.series("image")
    }


def test_a_damaged_block_of_a_log_is_listed_and_the_blocks_behind_it_are_read(
    tmp_path: Path, opened: Opened
) -> None:
    data = bytearray(
        _log([_history(step, loss=str(step), text='"' + "x" * 900 + '"') for step in range(200)])
    )
    data[BLOCK + 500] ^= 1
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.wandb").write_bytes(data)
    provider = opened(tmp_path)
    [damage] = provider.damage()
    assert (damage.reason, damage.file) == ("the checksum of a record is wrong", "run/a.wandb")
    assert BLOCK <= damage.offset <= BLOCK + 500
    assert 0 < damage.skipped <= BLOCK
    steps = _values(provider, "run", "loss")
    assert steps[0] == 0
    assert steps[-1] == 199
    assert 160 < len(steps) < 200


def test_media_outside_of_the_directory_of_a_run_are_not_read(tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "run" / "files").mkdir(parents=True)
    picture = FIXTURES / "mlflow_database/mlruns"
    secret = next(picture.rglob("picture.png"))
    shutil.copy(secret, tmp_path / "secret.png")
    (tmp_path / "run" / "files" / "link.png").symlink_to(tmp_path / "secret.png")
    shutil.copy(secret, tmp_path / "run" / "files" / "own.png")
    names = ["../../secret.png", str(tmp_path / "secret.png"), "link.png", "gone.png", "own.png"]
    items = [json.dumps({"_type": "image-file", "path": name}) for name in names]
    (tmp_path / "run" / "a.wandb").write_bytes(
        _log([_history(step, picture=item, loss="1") for step, item in enumerate(items)])
    )
    provider = opened(tmp_path)
    [picture_of_run] = provider.series("image")
    assert (picture_of_run.points, picture_of_run.first_step) == (1, 4)
    assert [damage.reason.split(": ", 1)[1] for damage in provider.damage()] == [
        *["its file is not below the directory of the run"] * 3,
        "No such file or directory",
    ]


@pytest.mark.parametrize(
    ("translate", "pattern"),
    [
        (wandb_store.translate, "wandb/**/*.wandb"),
        (swanlab_store.translate, "swanlab/**/*.swanlab"),
        (visualdl_store.translate, "visualdl/**/*.log"),
        (databases.translate, "trackio/digits.db"),
        (mlflow_files.translate, "mlflow_files/mlruns/*/*/metrics/train/loss"),
    ],
)
def test_random_damage_is_listed_or_harmless(tmp_path: Path, translate: Translate, pattern: str) -> None:
    [path, *_] = sorted(FIXTURES.glob(pattern))
    shutil.copytree(FIXTURES / path.relative_to(FIXTURES).parts[0], tmp_path / "store")
    copy = tmp_path / "store" / Path(*path.relative_to(FIXTURES).parts[1:])
    source = copy.parents[3] / "meta.yaml" if translate is mlflow_files.translate else copy
    data, random = path.read_bytes(), Random(7)
    for number in range(40):
        damaged = bytearray(data)
        for _ in range(random.randrange(1, 20)):
            damaged[random.randrange(7, len(damaged))] = random.randrange(256)
        if number % 4 == 0:
            del damaged[random.randrange(7, len(damaged)) :]
        copy.write_bytes(damaged)
        try:
            _translated(translate, source, tmp_path / f"target{number}")
        except (ValueError, OSError):
            continue  # the host lists it


def test_a_malformed_line_of_an_mlflow_metric_is_damage_and_the_others_are_read(
    tmp_path: Path, opened: Opened
) -> None:
    shutil.copytree(FIXTURES / "mlflow_files" / "mlruns", tmp_path / "mlruns")
    [path] = [one for one in tmp_path.rglob("accuracy") if one.is_file()]
    run = path.parents[1]
    with path.open("ab") as file:
        file.write(b"odd\n1795765757999 0.75 6\n1795765757999 0.8")
    outside = run / "artifacts" / "outside.png"
    outside.parent.mkdir(exist_ok=True)
    outside.symlink_to(next((FIXTURES / "mlflow_database").rglob("picture.png")))
    (run / "meta.yaml").write_text((run / "meta.yaml").read_text().replace("status: 4", "status: 1"))
    provider = opened(tmp_path)
    name = "mlruns/with/slash/fails"
    assert _values(provider, name, "accuracy") == [0.5, 0.75]
    assert [(one.run, one.skipped) for one in provider.damage()] == [(name, 3)]
    assert not provider.series("image", runs=[name])
    with path.open("ab") as file:
        file.write(b"5 7\n")
    provider.load()
    assert _values(provider, name, "accuracy") == [0.5, 0.75, 0.85]
    (run / "meta.yaml").write_text(
        (run / "meta.yaml").read_text().replace("lifecycle_stage: active", "lifecycle_stage: deleted")
    )
    provider.load()
    assert name not in [one.name for one in provider.runs()]


def test_yaml_of_plain_values_is_read_as_it_was_written() -> None:
    text = """
name: 'it''s: here'
count: 3
share: 0.5
empty: null
amp: true
items:
- 64
- '32'
net:
  act: relu
  deep:
    er: "a\\nb"
long: one
  two
note: ''
"""
    assert yaml_value(text.encode()) == {
        "name": "it's: here",
        "count": 3,
        "share": 0.5,
        "empty": None,
        "amp": True,
        "items": [64, "32"],
        "net": {"act": "relu", "deep": {"er": "a\nb"}},
        "long": "one two",
        "note": "",
    }


def test_a_histogram_that_says_it_has_millions_of_bins_is_damage_of_itself(
    tmp_path: Path, opened: Opened
) -> None:
    bomb = {"_type": "histogram", "packedBins": {"min": 0, "size": 1, "count": 1 << 40}, "values": [1]}
    records = [_history(step, good=str(step / 8)) for step in range(3)]
    records[1] = _history(1, good="0.125", h=json.dumps(bomb))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.wandb").write_bytes(_log(records))
    provider = opened(tmp_path)
    [run] = [run.name for run in provider.runs()]
    assert _values(provider, run, "good") == [0, 0.125, 0.25]
    [flaw] = provider.damage()
    assert "the media of 'h' at step 1 cannot be shown" in flaw.reason
