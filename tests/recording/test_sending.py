"""Recordings reach a host by HTTP byte for byte, whatever ends meanwhile, and what was not sent is told."""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from werkzeug import Response

from insight_core.web.http_server import listen
from insight_record import SummaryRecord, SummaryWriter, mlflow, push, rotating_files, wandb
from insight_record.samples import SampleWriter
from insight_record.sending import host_connection
from insight_record.sending import sender as sending_thread
from insight_record.sending.destination import Destination, destination_of
from insight_record.sending.host_connection import HostConnection
from insight_record.step_times import StepTimes
from tests.receivers import TOKEN, Receivers, written
from tests.recording.reading import points
from tests.waiting import eventually

Start = Callable[..., str]


def _record(writer: SummaryRecord) -> None:
    for step in range(200):
        writer.add_value("scalar", "loss", 1 / (step + 1))
        writer.add_value("tensor", "weights", [float(step)] * 5)
        writer.record(step, 1e9 + step)
    writer.add_value("text", "note", "a note")
    writer.add_value("custom_lineage_data", "custom", {"lr": 0.1})
    writer.record(200, 2e9)


@pytest.mark.parametrize("dialect", ["tensorboard", "mindspore"])
def test_what_arrives_is_what_a_directory_would_have(
    host: Receivers,
    spools: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    dialect: Any,  # noqa: ANN401
) -> None:
    monkeypatch.setattr(rotating_files, "time", type("Stopped", (), {"time": staticmethod(lambda: 1e9)}))
    with SummaryRecord(tmp_path / "local", dialect=dialect) as record:
        _record(record)
    with SummaryRecord("ä/run", dialect=dialect, to=host.start()) as record:
        _record(record)
        assert record.log_dir == Path("ä/run")
    assert record.dropped == 0
    sent, local = written(host.place), written(tmp_path / "local")
    assert sorted(sent.values()) == sorted(local.values())
    assert len(sent) == len(local) == {"tensorboard": 1, "mindspore": 3}[dialect]
    assert all(name.startswith("ä/run/") for name in sent)
    for sender in sending_thread._senders.values():
        sender.finish()
    assert [*spools.iterdir()] == []


def test_a_host_that_comes_late_gets_everything(
    host: Receivers, spools: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with SummaryWriter("run", to=host.url) as writer:
        writer.add_scalar("loss", 1.0, 0)
    assert re.search(r"insight_record: \d\d+ bytes of run are not sent", caplog.text)
    host.start()
    eventually(lambda: written(host.place))
    writer.add_scalar("loss", 2.0, 1)
    writer.close()
    assert points(host.place, run="run") == [(0, 1.0), (1, 2.0)]


def test_a_host_that_restarts_goes_on_where_it_was(host: Receivers) -> None:
    writer = SummaryWriter("run", to=host.start())
    writer.add_scalar("loss", 0.0, 0)
    eventually(lambda: points(host.place, run="run", may_be_cut=True) == [(0, 0.0)])
    host.stop()
    for step in range(1, 100):
        writer.add_scalar("loss", float(step), step)
    writer.flush()
    host.start()
    writer.close()
    assert points(host.place, run="run") == [(step, float(step)) for step in range(100)]
    assert len(written(host.place)) == 1


def test_an_answer_that_was_lost_sends_nothing_twice(
    host: Receivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[str] = []
    answered = HostConnection._offset

    def lose(link: Any, answer: Any) -> int:  # noqa: ANN401
        if answer.getheader("Upload-Offset") not in ("0", *lost):
            lost.append(answer.getheader("Upload-Offset"))
            link.close()
            raise ConnectionResetError
        return int(answered(link, answer))

    monkeypatch.setattr(HostConnection, "_offset", lose)
    with SummaryWriter("run", to=host.start()) as writer:
        for step in range(10):
            writer.add_scalar("loss", float(step), step)
    eventually(lambda: points(host.place, run="run", may_be_cut=True) == [(n, float(n)) for n in range(10)])
    assert lost


def test_a_sender_waits_for_its_turn(
    host: Receivers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SummaryWriter(tmp_path / "local/run") as writer:
        writer.add_scalar("loss", 1.0, 0)
    [(name, data)] = written(tmp_path / "local").items()
    (host.place / "run").mkdir(parents=True)
    (host.place / name).write_bytes(data[:30])
    waited: list[float] = []
    with (host.place / name).open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)

        def sleep(seconds: float) -> None:
            waited.append(seconds)
            if len(waited) == 2:
                fcntl.flock(other, fcntl.LOCK_UN)

        monkeypatch.setattr(host_connection, "time", SimpleNamespace(sleep=sleep))
        host.start()
        assert push.main([str(tmp_path / "local"), host.url]) == 0
    assert len(waited) == 2
    assert written(host.place) == {name: data}


def test_a_file_that_differs_there_is_sent_as_another_one(host: Receivers, tmp_path: Path) -> None:
    local = tmp_path / "local"
    with SummaryWriter(local / "run") as writer:
        writer.add_scalar("loss", 1.0, 0)
    [(name, data)] = written(local).items()
    (host.place / "run").mkdir(parents=True)
    for other in (b"other bytes", data[:-1] + b"x", data + b"more"):
        shutil.rmtree(host.place / "run")
        (host.place / "run").mkdir()
        (host.place / name).write_bytes(other)
        host.start()
        assert push.main([str(local), host.url]) == 0
        host.stop()
        again = name.replace("run/", "run/again2.")
        assert written(host.place) == {name: other, again: data}
    host.start()
    assert push.main([str(local), host.url]) == 0  # finds the second one again
    assert len(written(host.place)) == 2


def test_pushing_again_sends_nothing(
    host: Receivers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SummaryWriter(tmp_path / "local/run") as writer:
        writer.add_scalar("loss", 1.0, 0)
    with StepTimes(tmp_path / "local/run") as times, times.step(0):
        pass
    (tmp_path / "local/run/checkpoint.pt").write_bytes(b"no log")
    (tmp_path / "local/link.tfevents").symlink_to("/etc/passwd")
    before = written(tmp_path / "local")
    host.start()
    assert push.main([str(tmp_path / "local"), host.url]) == 0
    expected = {
        name: data for name, data in before.items() if "checkpoint" not in name and "link" not in name
    }
    assert written(host.place) == expected
    assert written(tmp_path / "local") == before
    shown = capsys.readouterr()
    assert f"sent {sum(map(len, expected.values()))} bytes, 0 are left" in shown.out
    assert "checkpoint.pt" in shown.err
    assert push.main([str(tmp_path / "local"), host.url]) == 0
    assert "sent 0 bytes" in capsys.readouterr().out


def test_a_push_that_fails_says_why(
    host: Receivers, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with SummaryWriter(tmp_path / "local/run") as writer:
        writer.add_scalar("loss", 1.0, 0)
    assert push.main([str(tmp_path / "local"), host.url]) == 1
    assert "refused" in capsys.readouterr().err
    host.start(receive_quota=10)
    assert push.main([str(tmp_path / "local"), host.url]) == 1
    assert "--receive-quota" in capsys.readouterr().err
    monkeypatch.setenv("INSIGHT_RECORD_TOKEN", "another-token-0123456789")
    assert push.main([str(tmp_path / "local"), host.url]) == 1
    assert "the token that this host printed" in capsys.readouterr().err
    assert written(host.place) == {}


@pytest.mark.parametrize(
    ("status", "said"), [(200, "does not answer as a host"), (401, "is at this address"), (404, "is at this")]
)
def test_an_address_of_something_else_is_named(
    host: Receivers, tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int, said: str
) -> None:
    with SummaryWriter(tmp_path / "local/run") as writer:
        writer.add_scalar("loss", 1.0, 0)
    other = listen(Response("a page", status), "127.0.0.1", 0)
    thread = threading.Thread(target=other.serve_forever)
    thread.start()
    try:
        assert push.main([str(tmp_path / "local"), f"http://127.0.0.1:{other.port}"]) == 1
    finally:
        other.stop()
        thread.join()
    assert said in capsys.readouterr().err


def test_a_full_spool_drops_records_and_says_so(
    host: Receivers, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_record.sending.spool._LOOK", -1.0)
    record = SummaryRecord("run", to=Destination(host.url, spool_size=20_000), flush_seconds=0)
    for step in range(50):
        record.add_value("tensor", "weights", [0.0] * 500)
        record.record(step)
        record.flush()
    assert 0 < record.dropped < 50
    assert caplog.text.count("is full") == 1
    spool = record.path
    assert spool is not None
    assert 20_000 <= spool.stat().st_size < 30_000
    host.start()
    record.close()
    assert sum(map(len, written(host.place).values())) >= 20_000


def test_files_that_the_host_has_make_room(host: Receivers, spools: Path) -> None:
    with SummaryRecord("run", to=host.start(), max_file_size=10_000) as record:
        for step in range(100):
            record.add_value("tensor", "weights", [0.0] * 500)
            record.record(step)
        record.flush()
        first = min(spools.glob("*/run/*"), default=None)
        eventually(lambda: first is None or not first.exists())
        assert record.path is not None
        assert record.path.is_file()
    assert len(written(host.place)) > 10


def test_samples_are_sent(host: Receivers) -> None:
    with SampleWriter("run", to=host.start()) as samples:
        samples.add_samples(3, ["2 + 2?"], ["4"], rewards=[1.0])
    for sender in sending_thread._senders.values():
        sender.finish()
    [(name, sent)] = written(host.place).items()
    assert name == "run/samples.jsonl"
    assert json.loads(sent) == {"step": 3, "prompt": "2 + 2?", "completion": "4", "reward": 1.0}


def test_step_times_and_runs_below_a_run_are_sent(host: Receivers) -> None:
    url = host.start()
    with StepTimes("run", rank=3, to=url) as times, times.step(0), times.span("data"):
        pass
    with SummaryWriter("run", to=url) as writer:
        writer.add_scalars("loss", {"train": 1.0, "val": 2.0}, 0)
    for sender in sending_thread._senders.values():
        sender.finish()
    directories = {name.rpartition("/")[0] for name in written(host.place)}
    assert directories == {"run", "run/loss_train", "run/loss_val", "run/structured_logs"}


def test_the_variable_sends_what_every_front_door_records(
    host: Receivers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSIGHT_RECORD_TO", host.start())
    run = wandb.init(project="digits", name="first")
    wandb.log({"loss": 1.0})
    run.finish()
    mlflow.set_experiment("letters")
    with mlflow.start_run(run_name="second"):
        mlflow.log_metric("loss", 1.0, step=0)
    names = {name.rpartition("/")[0] for name in written(host.place)}
    assert names == {"runs/digits/first", "runs/letters/second"}
    with SummaryWriter(tmp_path / "here", to="") as writer:  # "" is no destination
        writer.add_scalar("loss", 1.0, 0)
    assert written(tmp_path / "here")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://10.0.0.5:6006", "use https"),
        ("http://localhost.example.org", "use https"),
        ("ftp://host", "not the address"),
        ("host:6006", "not the address"),
        ("https://", "not the address"),
        ("https://me:secret@host", "leave the token out"),
        ("https://host/?token=secret", "leave the token out"),
        ("https://host:port", "Port"),
    ],
)
def test_an_address_that_would_betray_the_token_is_refused(url: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as raised:
        Destination(url)
    assert "secret" not in str(raised.value)


def test_http_to_other_machines_is_for_those_who_allow_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Destination("http://10.0.0.5:6006", allow_http=True)
    for url in ("http://localhost:1", "http://127.8.1.2", "http://[::1]:6006/prefix", "https://example.org"):
        assert Destination(url)
    monkeypatch.setenv("INSIGHT_RECORD_ALLOW_HTTP", "1")
    assert destination_of("http://10.0.0.5:6006") == Destination("http://10.0.0.5:6006")
    assert destination_of("") is None


def test_a_mistake_is_told_at_the_start(
    spools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "http://127.0.0.1:9"
    for name in ("/tmp/run", ".", "../run", "a/.hidden", "a\nb"):
        with pytest.raises(ValueError, match=r"run|name"):
            SummaryRecord(name, to=url)
    monkeypatch.delenv("INSIGHT_RECORD_TOKEN")
    monkeypatch.setattr(sending_thread, "_senders", {})
    with pytest.raises(ValueError, match="needs the token"):
        SummaryRecord("run", to=url)
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    monkeypatch.setenv("INSIGHT_RECORD_TOKEN_FILE", str(tmp_path / "token"))
    assert Destination(url).token() == TOKEN
