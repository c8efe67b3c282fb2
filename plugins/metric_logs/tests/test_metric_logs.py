"""Metric logs in the layouts of other programs, with and without event files in the same directory."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import insight_scalar
import pytest
from insight_metric_logs import FORMATS

from benchmarks.processes import peak_memory
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import HyperParameters
from insight_core.plugin.data import ScalarColumns, SeriesKey
from insight_core.plugin.testing import read_all
from insight_core.providers.local import LocalProvider
from insight_log_tables import lines

Load = Callable[[], LocalProvider]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Looks at the logs again."""
    plugins = [insight_scalar.insight_plugin()]
    provider = LocalProvider([Logdir(str(tmp_path))], plugins, log_formats=FORMATS, reload_interval=0)

    def look() -> LocalProvider:
        provider.load()
        return provider

    yield look
    provider.close()


def _tags(provider: LocalProvider, run: str = ".") -> set[str]:
    return {info.key.tag for info in provider.series("scalar") if info.key.run == run}


def _column(provider: LocalProvider, tag: str, run: str = ".") -> ScalarColumns:
    key = SeriesKey(run, tag)
    return provider.scalars("scalar", [key])[key]


def _points(provider: LocalProvider, tag: str, run: str = ".") -> list[tuple[int, float]]:
    found = _column(provider, tag, run)
    return list(zip(found.steps.tolist(), found.values.tolist(), strict=True))


def _damage(provider: LocalProvider) -> list[tuple[int, str]]:
    return [(each.offset, each.reason) for each in provider.damage()]


# --- Lightning's CSVLogger ---


def _log(path: Path, keys: list[str], rows: list[dict[str, object]]) -> None:
    """Appends as the logger does; a file that is not there gets a header."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=keys)
        if is_new:
            writer.writeheader()
        writer.writerows(rows)


def _rewrite(path: Path, keys: list[str]) -> None:
    """As the logger does for a further column."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=keys)
        writer.writeheader()
        writer.writerows(rows)


def test_a_csv_log_of_lightning_is_tailed_and_gains_columns(tmp_path: Path, load: Load) -> None:
    directory = tmp_path / "lightning_logs" / "version_0"
    directory.mkdir(parents=True)
    path, run = directory / "metrics.csv", "lightning_logs/version_0"
    _log(
        path,
        ["epoch", "step", "train_loss"],
        [{"epoch": 0, "step": s, "train_loss": s / 4} for s in range(3)],
    )
    assert _points(load(), "train_loss", run) == [(0, 0.0), (1, 0.25), (2, 0.5)]
    _log(path, ["epoch", "step", "train_loss"], [{"epoch": 1, "step": 3, "train_loss": math.nan}])
    assert len(_points(load(), "train_loss", run)) == 4
    keys = ["epoch", "step", "train_loss", 'val, "x"']
    _rewrite(path, keys)
    _log(
        path,
        keys,
        [{"epoch": 1, "step": 3, 'val, "x"': True}, {"epoch": 1, "step": 4, "train_loss": -math.inf}],
    )
    load()
    provider = load()
    assert _tags(provider, run) == {"epoch", "train_loss", 'val, "x"'}
    assert _points(provider, 'val, "x"', run) == [(3, 1.0)]
    values = _column(provider, "train_loss", run).values.tolist()
    assert (values[:3], math.isnan(values[3]), values[4]) == ([0.0, 0.25, 0.5], True, -math.inf)
    assert _damage(provider) == []


def test_thousands_of_columns_of_numbers_and_of_text_are_tailed(
    tmp_path: Path, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_PIECE", 200_000)  # the header and some rows
    names = [f"grad_norm/{'x' * 30}{number:04d}" for number in range(2_500)]
    texts = [f"note/{number:04d}" for number in range(2_000)]
    path = tmp_path / "metrics.csv"

    def rows(steps: range) -> list[dict[str, object]]:
        return [
            {"step": step, **dict.fromkeys(names, step / 2), **dict.fromkeys(texts, "a")} for step in steps
        ]

    # Lightning sorts the names: the step comes last, behind more than the beginning of a file
    _log(path, [*names, *texts, "step"], rows(range(30)))
    assert len(_points(load(), names[-1])) == 30
    damage = _damage(load())
    _log(path, [*names, *texts, "step"], rows(range(30, 32)))
    assert _tags(load()) == set(names)
    assert _points(load(), names[0]) == [(step, step / 2) for step in range(32)]
    assert _damage(load()) == damage  # a column of text is listed once
    assert len(damage) <= 201


def test_odd_csv_is_right_or_damage_with_its_line(tmp_path: Path, load: Load) -> None:
    rows = [
        b"\xef\xbb\xbfstep,loss,note",
        b'0,"1.5",',
        b"1,NaN,",
        b"2,+Infinity,",
        b"",
        b"3,0.25",
        b",0.5,",
        b"4.0,1e-3,",
        b"five,1,",
        b"6,abc,",
        b"step,loss,acc",
        b"7, 0.75 ,0.5",
        b"99999999999999999999,1,1",
        b"8,False,1_0\xff",
        b"9,0.2",
    ]
    (tmp_path / "metrics.csv").write_bytes(b"\r\n".join(rows))
    provider = load()
    found = _points(provider, "loss")
    assert [step for step, _ in found] == [0, 1, 2, 4, 7, 8]
    assert [value for _, value in found if not math.isnan(value)] == [1.5, math.inf, 1e-3, 0.75, 0.0]
    assert _points(provider, "acc") == [(7, 0.5)]
    reasons = {reason.partition(":")[0]: (offset, reason) for offset, reason in _damage(provider)}
    text = (tmp_path / "metrics.csv").read_bytes()
    assert {line: reason for line, (_, reason) in reasons.items()} == {
        "line 6": "line 6: 2 cells, the header has 3",
        "line 7": "line 7: no step",
        "line 9": "line 9: the step is 'five', not a whole number",
        "line 10": "line 10: 'loss' is 'abc', not a number",
        "line 13": "line 13: the step is '99999999999999999999', not a whole number",
        "line 14": "line 14: 'acc' is '1_0\N{REPLACEMENT CHARACTER}', not a number",
        "line 15 is not finished": "line 15 is not finished",
    }
    for line, (offset, _) in reasons.items():
        assert text[:offset].count(b"\n") + 1 == int(line.split()[1])


def test_a_quoted_line_end_is_part_of_a_cell_wherever_the_file_is_cut(
    tmp_path: Path, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_PIECE", 16)
    text = 'step,"a\nb"\n' + "".join(f'{step},"{step}.5"\n' for step in range(50)) + '50,"x\ny"\n51,1\n'
    (tmp_path / "metrics.csv").write_text(text)
    provider = load()
    assert [step for step, _ in _points(provider, "a\nb")] == [*range(50), 51]
    assert [reason for _, reason in _damage(provider)] == ["line 54: 'a\\nb' is 'x\\ny', not a number"]


def test_a_line_without_an_end_is_not_held_in_memory(
    tmp_path: Path, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_PIECE", 64)
    monkeypatch.setattr(lines, "_LONGEST", 256)
    (tmp_path / "metrics.csv").write_text("step,loss\n0,1\n" + "9" * 1_000 + "\n1,2\n")
    provider = load()
    assert _points(provider, "loss") == [(0, 1.0), (1, 2.0)]
    [damage] = provider.damage()
    assert damage.reason.startswith("line 3 is longer than")
    assert damage.skipped == 1_001
    with (tmp_path / "metrics.csv").open("a") as file:
        file.write("x,2\n")
    assert _damage(load())[1][1] == "line 5: the step is 'x', not a whole number"


def test_a_hole_of_a_terabyte_is_skipped(tmp_path: Path, load: Load) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text("step,loss\n0,1\n")
    hole = 1 << 40
    try:
        os.truncate(path, hole)
    except OSError:
        pytest.skip("the file system has no files of a terabyte")
    with path.open("a") as file:
        file.write("\n1,2\n")
    provider = load()
    assert _points(provider, "loss") == [(0, 1.0), (1, 2.0)]
    [damage] = provider.damage()
    assert damage.reason.startswith("line 3 is longer than")
    assert damage.offset + damage.skipped == hole + 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("metrics.csv", "name,value\na,1\n"),
        ("metrics.csv", "step\n1\n"),
        ("metrics.csv", ""),
        ("metrics.csv", "step,lo"),
        ("metrics.csv", "\x00\xff\x00"),
        ("metrics.jsonl", '["a"]\n'),
        ("metrics.jsonl", "prose\n"),
        ("trainer_state.json", '{"name": 1}'),
        ("trainer_state.json", "[]"),
        ("plots/metrics/a.tsv", "name\tvalue\n"),
        ("dvclive/a.tsv", "a,b\n"),
        ("other/a.tsv", "step\ta\n0\t1\n"),
    ],
)
def test_other_files_of_these_names_make_no_run(tmp_path: Path, load: Load, name: str, text: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="latin-1")
    provider = load()
    assert (list(provider.runs()), list(provider.damage())) == ([], [])


# --- DVCLive ---


def test_the_files_of_dvclive_are_tags_of_one_run(tmp_path: Path, load: Load) -> None:
    plots = tmp_path / "exp" / "dvclive" / "plots" / "metrics"
    (plots / "train").mkdir(parents=True)
    (plots / "acc.tsv").write_text("step\tacc\n0\t0.5\n1\tnan\n")
    loss = plots / "train" / "loss.tsv"
    loss.write_text("timestamp\tstep\tloss\n1795370209852\t0\t1.0\n1795370209879\t1\t0.5\n")
    provider = load()
    run = "exp/dvclive"
    assert [run.name for run in provider.runs()] == [run]
    assert _tags(provider, run) == {"acc", "train/loss"}
    assert _column(provider, "train/loss", run).wall_times.tolist() == [1795370209.852, 1795370209.879]
    assert provider.runs()[0].start_time == 1795370209.852
    assert math.isnan(_points(provider, "acc", run)[1][1])
    with loss.open("a") as file:  # without timestamps from now on, then a text, and the beginning of a row
        file.write("2\t0.25\n3\tlow\n4\n5\t")
    assert _points(load(), "train/loss", run) == [(0, 1.0), (1, 0.5), (2, 0.25)]
    assert [reason for _, reason in _damage(provider)] == [
        "line 5: 'train/loss' is 'low', not a number",
        "line 6: 1 cells instead of 2 or 3",
    ]


@pytest.mark.parametrize(
    ("path", "run"),
    [
        ("dvclive/loss.tsv", "."),
        ("dvclive/scalars/loss.tsv", "."),
        ("dvclive/plots/scalars/loss.tsv", "dvclive"),
    ],
)
def test_layouts_of_earlier_versions_of_dvclive_are_known(
    tmp_path: Path, load: Load, path: str, run: str
) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text("timestamp\tstep\tloss\n1614129197192\t0\t0.5\n")
    assert _points(load(), "loss", run) == [(0, 0.5)]


def test_a_metric_of_dvclive_with_the_name_step_has_one_column(tmp_path: Path, load: Load) -> None:
    plots = tmp_path / "dvclive" / "plots" / "metrics"
    plots.mkdir(parents=True)
    (plots / "step.tsv").write_text("step\n0\n1\n")
    provider = load()
    with (plots / "step.tsv").open("a") as file:
        file.write("5\n\nodd\n")
    (plots / "timed").mkdir()
    (plots / "timed" / "step.tsv").write_text("timestamp\tstep\n1795370209852\t3\n")
    provider.load()
    assert _points(provider, "step", "dvclive") == [(0, 0.0), (1, 1.0), (5, 5.0)]
    assert _points(provider, "timed/step", "dvclive") == [(3, 3.0)]
    assert _column(provider, "timed/step", "dvclive").wall_times.tolist() == [1795370209.852]
    assert len(_damage(provider)) == 1


# --- Hugging Face ---


def _state(path: Path, history: list[object], time: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {"best_metric": None, "epoch": 1.0, "global_step": 10, "log_history": history, "max_steps": 10}
    path.write_text(json.dumps(state, indent=2))
    os.utime(path, (time, time))


def test_of_the_checkpoints_of_a_trainer_the_newest_history_is_read(tmp_path: Path, load: Load) -> None:
    history: list[object] = [{"epoch": 0.1 * n, "loss": 1 / n, "step": n} for n in range(1, 5)]
    history.append({"epoch": 0.5, "eval_loss": math.nan, "step": 4})
    _state(tmp_path / "out" / "checkpoint-2" / "trainer_state.json", history[:2], 1_000)
    assert len(_points(load(), "train/loss", "out")) == 2
    _state(tmp_path / "out" / "checkpoint-10" / "trainer_state.json", history, 1_000)
    provider = load()
    assert [run.name for run in provider.runs()] == ["out"]
    assert _tags(provider, "out") == {"train/epoch", "train/loss", "eval/loss"}
    assert [info.points for info in provider.series("scalar") if info.key.tag == "train/loss"] == [4]
    _state(tmp_path / "out" / "trainer_state.json", [*history, {"train_runtime": 9.5, "step": 4}], 2_000)
    assert _points(load(), "train/train_runtime", "out") == [(4, 9.5)]
    assert _damage(provider) == []


def test_what_a_training_was_started_with_are_hyperparameters() -> None:
    state = {"log_history": [], "max_steps": 10, "train_batch_size": None, "num_train_epochs": 3}
    state |= {"trial_params": {"lr": 0.5, "odd": [1]}}
    [trainer] = [each for each in FORMATS if each.name == "Hugging Face Trainer"]
    found = read_all(trainer, json.dumps(state).encode(), 1)
    [given] = found.others
    assert isinstance(given, HyperParameters)
    assert given.values == {"max_steps": 10, "num_train_epochs": 3, "lr": 0.5}
    assert not found.flaws


def test_a_state_that_is_rewritten_or_half_written_is_read_anew(tmp_path: Path, load: Load) -> None:
    path = tmp_path / "trainer_state.json"
    _state(path, [{"loss": 1.0, "step": 1}, {"loss": 0.5, "step": 2}], 1_000)
    load()
    _state(path, [{"loss": 1.0, "step": 1}, {"loss": 0.5, "step": 2}, "x", {"loss": 0.25}], 2_000)
    load()
    provider = load()
    assert _points(provider, "train/loss") == [(1, 1.0), (2, 0.5)]
    assert [reason for _, reason in _damage(provider)] == [
        "log_history[2] is not an object",
        "log_history[3]: no step",
    ]
    text = path.read_text()
    path.write_text(text[:-30])
    load()
    load()
    [(_, reason)] = _damage(provider)
    assert reason.startswith("line ")
    assert "not JSON" in reason
    path.write_text(text)
    load()
    load()
    assert _points(provider, "train/loss") == [(1, 1.0), (2, 0.5)]


# --- JSON lines ---


def test_a_value_without_a_name_does_not_stop_the_log(tmp_path: Path, load: Load) -> None:
    lines = ['{"step": 1, "": 4}', '{"step": 2, "loss": 0.5, "": 4}', '{"step": 3, "loss": 1.5}']
    (tmp_path / "metrics.jsonl").write_text("".join(f"{line}\n" for line in lines))
    provider = load()
    assert _points(provider, "loss", ".") == [(2, 0.5), (3, 1.5)]
    assert list(provider.damage(".")) == []


def test_json_lines_are_tailed_with_nested_names_and_numbers_of_any_spelling(
    tmp_path: Path, load: Load
) -> None:
    path = tmp_path / "metrics.jsonl"
    objects: list[dict[str, object]] = [
        {"step": 0, "time": 1_700_000_000.5, "loss": 1.5, "opt": {"lr": {"head": 0.1}}, "phase": "train"},
        {"step": 1, "time": "1700000001", "loss": "NaN", "ok": True, "layers": [1, 2]},
        {"loss": "0.25", "step": 2.0, "time": None, "gone": None, "phase": "eval"},
    ]
    text = "".join(json.dumps(each) + "\r\n" for each in objects)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode() + b'{"step": 3, "loss": -Infinity}\n{"step": 4, "lo')
    provider = load()
    assert _tags(provider) == {"loss", "opt/lr/head", "ok"}
    steps, values = zip(*_points(provider, "loss"), strict=True)
    assert steps == (0, 1, 2, 3)
    assert (values[0], math.isnan(values[1]), values[2:]) == (1.5, True, (0.25, -math.inf))
    times = _column(provider, "loss").wall_times.tolist()
    assert (times[:2], math.isnan(times[2])) == ([1_700_000_000.5, 1_700_000_001.0], True)
    assert _points(provider, "ok") == [(1, 1.0)]
    assert [reason for _, reason in _damage(provider)] == [
        "line 1: 'phase' is 'train', not a number; further ones are not listed",
        "line 2: 'layers' is a list, not a number; further ones are not listed",
        "line 5 is not finished",
    ]
    with path.open("a") as file:
        file.write('ss": 7}\n{"step": 5, "loss": 8}')
    assert _points(load(), "loss")[-2:] == [(4, 7.0), (5, 8.0)]
    with path.open("a") as file:
        file.write('\n{"step": "x", "loss": 8}\n')
    assert _damage(load())[-1][1] == "line 7: the step is 'x', not a whole number"


def test_objects_without_steps_are_counted(
    tmp_path: Path, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_PIECE", 32)
    (tmp_path / "metrics.jsonl").write_text("".join(f'{{"loss": {n}}}\n\n' for n in range(40)))
    assert _points(load(), "loss") == [(n, float(n)) for n in range(40)]


def test_lines_that_are_no_objects_are_damage(tmp_path: Path, load: Load) -> None:
    bad = [
        "{",
        "7",
        "[1]",
        '{"step": 1} x',
        "1,2",
        '{"a": ' * 5_000,
        '{"step": 2.5, "loss": 1}',
        '{"loss": 1}',
    ]
    (tmp_path / "metrics.jsonl").write_text(
        '{"step": 0, "loss": 1}\n' + "\n".join(bad) + '\n{"step": 9, "loss": 2}\n'
    )
    provider = load()
    assert _points(provider, "loss") == [(0, 1.0), (9, 2.0)]
    assert sorted(int(reason.split()[1].rstrip(":")) for _, reason in _damage(provider)) == [*range(2, 10)]


def test_the_order_of_a_tag_is_that_of_the_file_whatever_the_keys(tmp_path: Path, load: Load) -> None:
    rows = [{"step": n, "loss": n} | ({"acc": n} if n % 3 else {}) for n in range(30)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    provider = load()
    assert _points(provider, "loss") == [(n, float(n)) for n in range(30)]
    [loss] = [info for info in provider.series("scalar") if info.key.tag == "loss"]
    assert loss.points == 30


@pytest.mark.parametrize("name", ["metrics.csv", "metrics.jsonl"])
def test_a_file_in_many_pieces_gives_the_same_as_one_read_whole(
    tmp_path: Path, load: Load, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rows = [(n, n / 8, "" if n % 2 else str(n)) for n in range(500)]
    if name.endswith("csv"):
        text = "step,a,b\n" + "".join(f"{n},{a},{b}\n" for n, a, b in rows)
    else:
        text = "".join(json.dumps({"step": n, "a": a} | ({"b": b} if b else {})) + "\n" for n, a, b in rows)
    (tmp_path / name).write_text(text)
    monkeypatch.setattr(lines, "_PIECE", 100)
    provider = load()
    assert _points(provider, "a") == [(n, n / 8) for n in range(500)]
    assert _points(provider, "b") == [(n, float(n)) for n in range(0, 500, 2)]
    assert _damage(provider) == []


def test_damage_quotes_values_as_the_log_has_them_and_long_ones_in_part(tmp_path: Path, load: Load) -> None:
    steps = [None, 1.5, True, ["x"] * 9, "y" * 99]
    lines = [json.dumps({"step": step, "loss": 1, "name": None}) + "\n" for step in steps]
    (tmp_path / "metrics.jsonl").write_text("".join(lines))
    assert [reason for _, reason in _damage(load())] == [
        f"line {line}: the step is {step}, not a whole number"
        for line, step in [(1, "null"), (2, "1.5"), (4, "a list"), (5, f"'{'y' * 59}…")]
    ]


def test_a_trainer_state_of_millions_of_lists_is_damage_and_a_long_one_is_read(
    tmp_path: Path, load: Load
) -> None:
    path = tmp_path / "trainer_state.json"
    path.write_bytes(b'{"log_history":[' + b"[]," * 12_000_000 + b'{"loss":1,"step":1}]}')
    before = peak_memory()
    provider = load()
    [damage] = provider.damage()
    assert (damage.file, damage.reason) == ("trainer_state.json", "it needs more than 1024 MiB of memory")
    assert peak_memory() - before < 256  # MB
    history = [{"loss": step / 8, "step": step, "note": "n" * 100} for step in range(10_000)]
    path.write_text(json.dumps({"log_history": history}))  # more than 1 MiB
    found = load().scalars("scalar", [key := SeriesKey(".", "train/loss")])
    assert found[key].values.tolist() == [step / 8 for step in range(10_000)]
