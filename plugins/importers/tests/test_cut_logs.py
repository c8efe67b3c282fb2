"""Logs of trackers that end within a record are damage once they rest; logs with holes end."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import insight_importers
import insight_scalar
import pytest
from insight_importers import aim_store, swanlab_store, visualdl_store, wandb_store

from insight_core.ingest import followed_file
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Translation
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.payloads import MessageTypes
from insight_core.providers.local import LocalProvider
from insight_record.formats.protobuf import double_field, float_field, int_field, message_field, text_field

Translate = Callable[[str, Path], Translation]
RECORDS = 10
TYPES = MessageTypes(Path(wandb_store.__file__).with_name("wandb.binpb"))


def _blocks(mark: bytes, records: list[bytes]) -> list[bytes]:
    found = [mark]
    for record in records:
        crc = zlib.crc32(record, zlib.crc32(b"\x01"))
        found.append(crc.to_bytes(4, "little") + len(record).to_bytes(2, "little") + b"\x01" + record)
    return found


def _wandb() -> list[bytes]:
    rows = [
        TYPES.new("Record", history={"item": [{"key": "good", "value_json": "1"}], "step": {"num": step}})
        for step in range(RECORDS)
    ]
    return _blocks(b":W&B\xe1\xbe\x00", [row.SerializeToString() for row in rows])


def _swanlab() -> list[bytes]:
    value = message_field(5, double_field(1, 1.0)) + message_field(4, int_field(1, 1_700_000_000))
    rows = [message_field(13, text_field(1, "good") + int_field(2, step) + value) for step in range(RECORDS)]
    return _blocks(b":SWL\xd6\xe1\x02", rows)


def _visualdl() -> list[bytes]:
    begin = message_field(1, text_field(2, "meta_data_tag") + message_field(12, text_field(1, "x")))
    rows = [
        message_field(1, int_field(1, step) + text_field(2, "good") + float_field(4, 1.0))
        for step in range(RECORDS)
    ]
    return [len(row).to_bytes(8, "little") + row for row in (begin, *rows)]


def _aim() -> list[bytes]:
    line = (
        '{"sequence": "good", "context": {}, "kind": "number", "steps": [%d], "times": [1], "values": [1]}\n'
    )
    return [b'{"aim_export": 1, "id": "a"}\n', *((line % step).encode() for step in range(RECORDS))]


LOGS = {
    "w/run-id.wandb": (_wandb, wandb_store.translate),
    "s/run-id.swanlab": (_swanlab, swanlab_store.translate),
    "v/vdlrecords.1.log": (_visualdl, visualdl_store.translate),
    "a/a.aim.jsonl": (_aim, aim_store.translate),
}
GROWING = [name for name in LOGS if not name.startswith("a")]  # an export of Aim is written whole


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[LocalProvider]:
    plugins = [insight_scalar.insight_plugin()]
    found = LocalProvider([Logdir(str(tmp_path))], plugins, log_formats=insight_importers.FORMATS)
    yield found
    found.close()


def _steps(provider: LocalProvider) -> list[int]:
    [info] = provider.series("scalar")
    key = SeriesKey(info.key.run, "good")
    return list(map(int, provider.scalars("scalar", [key])[key].steps))


def _damage(provider: LocalProvider) -> list[tuple[int, str, int]]:
    return [(one.offset, str(one.reason), one.skipped) for one in provider.damage()]


@pytest.mark.parametrize("name", GROWING)
def test_a_log_that_ends_within_a_record_is_listed_with_its_offset(
    tmp_path: Path, provider: LocalProvider, name: str
) -> None:
    records = LOGS[name][0]()
    path = tmp_path / name
    path.parent.mkdir()
    whole = b"".join(records[:-4])
    path.write_bytes(whole + records[-4][:12])
    provider.load()
    assert _steps(provider) == [*range(6)]
    assert _damage(provider) == [(len(whole), "the file ends within a record", 12)]
    path.write_bytes(b"".join(records))
    provider.load()
    assert _steps(provider) == [*range(RECORDS)]
    assert _damage(provider) == []


@pytest.mark.parametrize("name", GROWING)
def test_a_log_that_a_longer_one_replaces_is_read_from_its_beginning(
    tmp_path: Path, provider: LocalProvider, name: str
) -> None:
    first, *records = LOGS[name][0]()
    path = tmp_path / name
    path.parent.mkdir()
    path.write_bytes(first + b"".join(records[:4]))
    provider.load()
    assert _steps(provider) == [*range(4)]
    path.write_bytes(first + b"".join(records[4:]))  # the inode stays
    provider.load()
    assert _steps(provider) == [*range(4, RECORDS)]
    path.unlink()
    provider.load()
    path.write_bytes(first + b"".join(records))  # the inode may be given again
    provider.load()
    assert _steps(provider) == [*range(RECORDS)]
    assert _damage(provider) == []


@pytest.mark.parametrize("name", GROWING)
def test_a_log_that_grows_is_not_listed_until_it_rests(
    tmp_path: Path, provider: LocalProvider, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = LOGS[name][0]()
    path = tmp_path / name
    path.parent.mkdir()
    path.write_bytes(b"".join(records[:3]))
    provider.load()
    with path.open("ab") as file:
        file.write(records[3][:12])
    provider.load()
    assert _damage(provider) == []
    monkeypatch.setattr(followed_file, "SETTLED", -1.0)
    provider.load()
    assert [reason for _, reason, _ in _damage(provider)] == ["the file ends within a record"]


def test_a_hole_of_a_terabyte_in_a_metric_of_mlflow_is_skipped(
    tmp_path: Path, provider: LocalProvider
) -> None:
    experiment = tmp_path / "mlruns" / "1"
    (experiment / "u" / "metrics").mkdir(parents=True)
    (experiment / "meta.yaml").write_text("artifact_location: x\nexperiment_id: '1'\nname: e\n")
    (experiment / "u" / "meta.yaml").write_text("run_id: u\nrun_name: n\nstatus: 3\n")
    path = experiment / "u" / "metrics" / "good"
    path.write_text("1 1 0\n")
    try:
        os.truncate(path, 1 << 40)
    except OSError:
        pytest.skip("the file system has no files of a terabyte")
    with path.open("a") as file:
        file.write("\n1 1 1\n")
    provider.load()
    assert _steps(provider) == [0, 1]
    assert len(_damage(provider)) in (1, 2)


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("continued", [False, True])
def test_a_hole_of_a_terabyte_ends(
    tmp_path: Path, provider: LocalProvider, name: str, continued: bool
) -> None:
    if continued and name.startswith("v"):
        pytest.skip("VisualDL's records can be found in the order of the file only")
    records = LOGS[name][0]()
    path = tmp_path / name
    path.parent.mkdir()
    path.write_bytes(b"".join(records[:6]))
    hole = 1 << 40
    try:
        os.truncate(path, hole)
    except OSError:
        pytest.skip("the file system has no files of a terabyte")
    if continued:
        with path.open("ab") as file:
            file.write(b"".join(records[6:]))
    provider.load()
    assert _steps(provider) == [*range(5), *(range(5, RECORDS) if continued else ())]
    assert len(_damage(provider)) == 1
    if continued:
        [(offset, reason, skipped)] = _damage(provider)
        assert reason == "there are zeros where records should be"
        assert 0 < offset < 2_000
        assert offset + skipped == hole
