"""Settings and pictures next to logs, and tables of data, which are not logs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from insight_lineage.sessions import Sessions

from insight_core.ingest import beginnings
from insight_core.ingest.fetching import Fetch
from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from tests.program_logs import PROGRAMS, Load, curves, looked_at, settings

# --- settings ---


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    with looked_at(tmp_path) as look:
        yield look


def _dotted(value: Mapping[str, Any], above: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for key, inner in value.items():
        if isinstance(inner, dict) and inner:
            found |= _dotted(inner, f"{above}{key}.")
        elif inner is not None:
            found[f"{above}{key}"] = json.dumps(inner) if isinstance(inner, list) else inner
    return found


@pytest.mark.parametrize(
    ("run", "name", "log"),
    [
        ("lightning/version_0", "hparams.yaml", "metrics.csv"),
        ("ultralytics/train", "args.yaml", "results.csv"),
        ("timm", "args.yaml", "summary.csv"),
        ("hugging_face", "config.json", "trainer_state.json"),
    ],
)
def test_settings_next_to_a_log_are_hyperparameters_of_its_run(
    tmp_path: Path, load: Load, run: str, name: str, log: str
) -> None:
    (tmp_path / run).mkdir(parents=True)
    shutil.copy(PROGRAMS / run / name, tmp_path / run)
    assert list(load().runs()) == []  # settings alone are no run
    shutil.copy(PROGRAMS / run / log, tmp_path / run)
    shown = settings(load(), run)
    text = (PROGRAMS / run / name).read_text()
    expected = _dotted(json.loads(text) if name.endswith("json") else yaml.safe_load(text))
    assert {key: shown[key] for key in expected} == expected


def test_settings_that_change_are_read_again(tmp_path: Path, load: Load) -> None:
    (tmp_path / "metrics.csv").write_text("step,loss\n0,1\n")
    path = tmp_path / "config.yaml"
    path.write_text("lr: 0.1\nold: 1\n")
    assert settings(load(), ".") == {"lr": 0.1, "old": 1}
    path.write_text("lr: 0.25\nmodel:\n  dim: 8\n")
    load()
    assert settings(load(), ".") == {"lr": 0.25, "model.dim": 8}
    with path.open("a") as file:
        file.write("  depth: [")
    load()
    assert settings(load(), ".") == {"lr": 0.25, "model.dim": 8}  # not finished
    with path.open("a") as file:
        file.write("2]\n")
    load()
    assert list(load().damage()) == []
    assert settings(load(), ".") == {"lr": 0.25, "model.dim": 8, "model.depth": "[2]"}


def test_settings_of_hydra_are_those_of_the_run_below(tmp_path: Path, load: Load) -> None:
    shutil.copytree(PROGRAMS / "hydra", tmp_path, dirs_exist_ok=True)
    provider = load()
    run = "outputs/first/csv/version_0"
    assert [one.name for one in provider.runs()] == [run]
    config = yaml.safe_load((PROGRAMS / "hydra/outputs/first/.hydra/config.yaml").read_text())
    assert settings(provider, run) == _dotted(config) | {"overrides": "optimizer.lr=0.25"}


def test_settings_of_two_files_that_differ_are_named_and_none_is_lost(tmp_path: Path, load: Load) -> None:

    (tmp_path / "metrics.csv").write_text("step,loss\n0,1\n")
    (tmp_path / "args.yaml").write_text("lr: 0.1\nseed: 1\n")
    (tmp_path / "config.json").write_text('{"lr": 0.2, "seed": 1, "dim": 8}')
    provider = load()
    sessions = Sessions()
    sessions.take(".", provider.series("lineage"))
    [problem] = sessions.problems()
    assert "lr is 0.2 in" in problem.error
    assert "config.json, but 0.1 in" in problem.error
    assert settings(provider, ".")["dim"] == 8


_BOMB = b"a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (level, level, b", ".join([b"*a%d" % (level - 1)] * 9)) for level in range(1, 9)
)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("config.yaml", b"a: [1, 2\n", "it is not valid YAML (line 2)"),
        ("config.yaml", _BOMB, "it has more than 200,000 values"),
        ("config.yaml", b"[" * 200, "it is nested too deeply"),
        ("config.json", b'{"a": ' * 150_000, "nested too deeply"),  # Python 3.14 reads 20,000
        ("config.json", b"[1, 2]", "it holds no settings by name"),
        ("config.toml", b"a = \n", "it is not valid TOML"),
        ("config.yaml", b"a: " + b"x" * (1 << 20), "larger than 1 MiB"),
    ],
)
def test_settings_that_cannot_be_read_are_named_and_harmless(
    tmp_path: Path, load: Load, name: str, data: bytes, reason: str
) -> None:
    (tmp_path / "metrics.csv").write_text("step,loss\n0,1\n")
    (tmp_path / name).write_bytes(data)
    provider = load()
    assert curves(provider, ".") == {"loss": [(0, 1.0)]}
    [damage] = provider.damage()
    assert (damage.file, damage.reason.startswith(reason)) == (name, True), damage.reason


def test_tokens_and_passwords_are_not_shown_and_tables_of_data_are_one_text(
    tmp_path: Path, load: Load
) -> None:
    (tmp_path / "metrics.csv").write_text("step,loss\n0,1\n")
    labels = {str(number): f"LABEL_{number}" for number in range(1_000)}
    given = {"hub_token": "hf_abc", "wandb": {"api_key": "abc"}, "max_tokens": 8, "pad_token_id": 0}
    (tmp_path / "config.json").write_text(json.dumps({**given, "tokenizer": "bpe", "id2label": labels}))
    shown = settings(load(), ".")
    assert str(shown.pop("id2label")).startswith('{"0": "LABEL_0"')
    assert shown == {
        "hub_token": "(hidden)",
        "wandb.api_key": "(hidden)",
        "max_tokens": 8,
        "pad_token_id": 0,
        "tokenizer": "bpe",
    }


# --- tables of data ---


def test_data_sets_with_columns_of_logs_are_left_alone(tmp_path: Path, load: Load) -> None:
    texts = {
        "eeg.csv": "epoch,time,Fp1,Fp2\n0,0.0,1.5,2.5\n",
        "users.csv": "step,name,loss\n1,anna,0.5\n",
        "table.csv": "id,epoch,loss\n1,1,0.5\n",
        "results.csv": "epoch,answer\n1,2\n",
        "half.csv": "epoch,loss\n",
        "history.json": '{"name": "x"}',
        "progress.csv": "name,value\na,1\n",
        "metrics.json": '{"name": "x", "value": 1}',
        "other_history.json": '{"texts": ["x"]}',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    provider = load()
    assert (list(provider.runs()), list(provider.damage())) == ([], [])


def test_of_many_data_files_only_some_are_looked_into(tmp_path: Path, load: Load) -> None:
    for number in range(2_000):
        (tmp_path / f"part-{number:05d}.csv").write_text("epoch,time,x\n0,0.5,1\n")
    asked: list[str] = []
    before = beginnings._told
    with pytest.MonkeyPatch.context() as patch:

        def told(path: str, tells: Callable[[bytes], bool], fetch: Fetch | None) -> bool:
            asked.append(path)
            return before(path, tells, fetch)

        patch.setattr(beginnings, "_told", told)
        provider = load()
    assert list(provider.runs()) == []
    assert 0 < len(set(asked)) <= 256


def test_a_large_file_of_any_name_is_named_and_not_read(tmp_path: Path, load: Load) -> None:
    path = tmp_path / "train.csv"
    path.write_text("epoch,loss\n0,1\n1,0.5\n")
    with path.open("r+b") as file:
        file.truncate(2 << 30)
    provider = load()
    assert curves(provider, ".") == {}
    [damage] = provider.damage()
    assert damage.reason == "larger than 256 MiB, the most that is read"


# --- pictures ---


def test_pictures_of_a_run_stand_at_the_steps_of_their_names(tmp_path: Path, load: Load) -> None:
    shutil.copytree(PROGRAMS / "ultralytics", tmp_path, dirs_exist_ok=True)
    (tmp_path / "train" / "samples").mkdir()
    (tmp_path / "alone").mkdir()
    for number in (500, 1000):
        picture = (PROGRAMS / "ultralytics/train/val_batch0_pred.jpg").read_bytes()
        (tmp_path / "train" / "samples" / f"samples-{number:06d}.jpg").write_bytes(picture)
        (tmp_path / "alone" / f"samples-{number:06d}.jpg").write_bytes(picture)
    provider = load()
    assert [run.name for run in provider.runs()] == ["train"]
    found = {
        info.key.tag: (info.first_step, info.last_step, info.points) for info in provider.series("image")
    }
    assert found == {
        "train_batch*.jpg": (0, 1, 2),
        "val_batch0_pred.jpg": (0, 0, 1),
        "samples/samples-*.jpg": (500, 1000, 2),
    }


def test_what_is_there_and_not_read_is_counted_by_kind(tmp_path: Path, load: Load) -> None:
    (tmp_path / "metrics.csv").write_text("step,loss\n0,1\n")
    for name in (
        "weights/best.pt",
        "weights/last.pt",
        "params.pkl",
        "trace.pftrace",
        "notes.md",
        "table.csv",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    assert load().unread_files() == {"checkpoints": 2, "Python pickles": 1, "Perfetto traces": 1}


def test_a_file_that_is_not_read_counts_once(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for name in ("best.pt", "last.pt"):
        (inner / name).write_bytes(b"x")
    (tmp_path / "outer" / "link").symlink_to(inner)
    for places in ([tmp_path / "outer"], [tmp_path / "outer", inner]):
        provider = LocalProvider([Logdir(str(place)) for place in places], [])
        assert provider.unread_files() == {"checkpoints": 2}
        provider.close()


def test_checkpoints_of_a_trainer_are_not_runs(tmp_path: Path, load: Load) -> None:
    state = (PROGRAMS / "hugging_face" / "trainer_state.json").read_text()
    for step in (4, 8):  # as Trainer.save_model leaves them, with a configuration in each
        place = tmp_path / "bert" / f"checkpoint-{step}"
        place.mkdir(parents=True)
        (place / "trainer_state.json").write_text(state)
        (place / "config.json").write_text('{"hidden_size": 8}')
    provider = load()
    assert [run.name for run in provider.runs()] == ["bert"]
    assert "train/loss" in curves(provider, "bert")
