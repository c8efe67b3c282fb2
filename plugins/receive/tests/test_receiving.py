"""What senders may do: append to files, with the token, within limits; and nothing else."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import insight_receive
import pytest
from insight_receive import directory, receiver, usage
from insight_receive.errors import NotReceived
from insight_receive.starting import received
from werkzeug import Response
from werkzeug.test import Client

from insight_core.plugin import AppSettings, InvalidArgument
from insight_core.web import request_reader
from insight_core.web.http_server import Server, listen
from insight_record.sending.names import BLOCK, PIECE, digest
from tests.receivers import BEARER, FILE, TOKEN, Send, code_of, fields_of, receiving, sender, written


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "received"


@pytest.fixture
def send(place: Path) -> Send:
    return sender(receiving(place))


def test_a_file_grows_by_what_is_sent_at_its_end(send: Send, place: Path) -> None:
    first, second = b"x" * (BLOCK + 5), b"second"
    assert send(first).json == {"length": len(first)}
    answer = send(second, len(first), first)
    assert answer.headers["Upload-Offset"] == str(len(first + second))
    asked = Client(receiving(place)).head(FILE, headers=BEARER)
    assert (asked.status_code, asked.headers["Upload-Offset"]) == (200, str(len(first + second)))
    assert written(place) == {"a/events.out.tfevents.1.host.1": first + second}


@pytest.mark.parametrize("offset", [0, 2, 4, 999])
def test_nothing_is_overwritten_and_the_answer_says_where_to_go_on(
    send: Send, place: Path, offset: int
) -> None:
    send(b"abc")
    answer = send(b"xyz", offset, b"abc"[:offset])
    assert code_of(answer) == (409, "receive_offset")
    assert answer.headers["Upload-Offset"] == "3"
    assert list(written(place).values()) == [b"abc"]


def test_a_file_with_other_bytes_stays_as_it_is(send: Send, place: Path) -> None:
    send(b"abc")
    assert code_of(send(b"def", 3, b"abX")) == (409, "receive_differs")
    assert code_of(send(b"", 3, b"abX", Upload_Complete="?1")) == (409, "receive_differs")
    assert list(written(place).values()) == [b"abc"]


def test_bytes_that_changed_on_the_way_are_notwritten(send: Send, place: Path) -> None:
    assert code_of(send(b"abc", Content_Digest=digest(b"abd"))) == (400, "receive_digest")
    assert code_of(send(b"abc", Content_Digest="")) == (400, "receive_digest")
    for offset in ("", "-1", "1e3", "٣", " 1", "9" * 19):
        assert code_of(send(b"abc", Upload_Offset=offset.encode().decode("latin1"))) == (
            400,
            "receive_request",
        )
    assert written(place) == {}


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xff"]
)
@pytest.mark.parametrize("method", ["HEAD", "GET", "PATCH", "PUT", "DELETE", "POST"])
def test_nothing_is_done_without_the_token(place: Path, given: str, method: str) -> None:
    client = Client(receiving(place))
    fields = {**fields_of(b"a"), "Authorization": given}
    answer = client.open(FILE, method=method, data=b"a", headers=fields)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    in_url = client.open(
        f"{FILE}?token={TOKEN}", method=method, data=b"a", headers={**fields, "Authorization": ""}
    )
    assert in_url.status_code == 401
    assert written(place) == {}


def test_the_token_is_for_senders_alone_and_compared_in_constant_time(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[bytes] = []

    def compare(given: bytes, known: bytes) -> bool:
        compared.append(given)
        return given == known

    monkeypatch.setattr(receiver, "secrets", SimpleNamespace(compare_digest=compare))
    client = Client(receiving(place))
    assert client.get("/data/runs", headers=BEARER).text == "the host"
    assert compared == []
    client.head(FILE, headers={"Authorization": "Bearer other"})
    assert compared == [b"other"]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST"])
def test_files_are_only_appended_to(send: Send, place: Path, method: str) -> None:
    send(b"abc")
    answer = Client(receiving(place)).open(FILE, method=method, headers=BEARER)
    assert code_of(answer) == (405, "receive_method")
    assert list(written(place).values()) == [b"abc"]


def test_the_quota_of_all_runs_and_that_of_each_hold(place: Path) -> None:
    def refused(size: int, run: str, **quotas: int) -> str | None:
        answer = sender(receiving(place, **quotas))(bytes(size), path=f"/receive/files/{run}/tfevents.{size}")
        if answer.status_code == 200:
            return None
        assert code_of(answer) == (507, "receive_full")
        [flag] = re.findall(r"--[a-z-]+", answer.text)
        return str(flag)

    assert refused(60, "a", receive_quota=100) is None
    assert refused(41, "b", receive_quota=100) == "--receive-quota"  # counts what an earlier start received
    assert refused(40, "b", receive_quota=100) is None
    assert refused(1, "c", receive_quota=100) == "--receive-quota"
    assert refused(15, "a", receive_run_quota=70) == "--receive-run-quota"
    assert refused(15, "b", receive_run_quota=70) is None


def test_what_is_refused_does_not_count(place: Path) -> None:
    send = sender(receiving(place, receive_quota=4))
    for _ in range(3):
        assert send(b"abc", 1).status_code == 409
    assert send(b"abc").status_code == 200


def test_an_almost_full_disk_and_too_many_files_are_refused(
    send: Send, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=usage._SPARED))
        assert code_of(send(b"a")) == (507, "receive_full")
    monkeypatch.setattr(usage, "_MOST_FILES", 1)
    assert send(b"a").status_code == 200
    assert code_of(send(b"a", path="/receive/files/b/tfevents")) == (507, "receive_full")


def test_a_disk_that_fills_up_keeps_what_waswritten(
    send: Send, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(file: int, data: memoryview) -> None:
        os.write(file, data[:2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(directory, "_write", half)
        assert code_of(send(b"abcd")) == (507, "receive_full")
    answer = send(b"abcd")
    assert (answer.status_code, answer.headers["Upload-Offset"]) == (409, "2")
    assert send(b"cd", 2, b"ab").status_code == 200
    assert list(written(place).values()) == [b"abcd"]


def test_a_request_of_more_than_a_piece_is_refused(send: Send, place: Path) -> None:
    assert send(bytes(PIECE)).status_code == 200
    assert code_of(send(bytes(PIECE + 1), path="/receive/files/b/tfevents")) == (413, "receive_piece")
    assert [len(data) for data in written(place).values()] == [PIECE]


def test_two_who_append_to_one_file_do_not_mix(send: Send, place: Path) -> None:
    path = place / "a/events.out.tfevents.1.host.1"
    send(b"abc")
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        answer = send(b"def", 3, b"abc")
    assert code_of(answer) == (503, "receive_busy")
    assert answer.headers["Retry-After"] == "1"
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda part=part: results.append(send(part, 3, b"abc").status_code))
        for part in (b"1" * 50_000, b"2" * 50_000)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert results.count(200) == 1
    assert path.read_bytes() in (b"abc" + b"1" * 50_000, b"abc" + b"2" * 50_000)


def test_below_a_prefix_only_its_own_addresses_are_answered(place: Path) -> None:
    client = Client(receiving(place, prefix="/a"))
    fields = BEARER
    assert client.head(f"/a{FILE}", headers=fields).headers["Upload-Offset"] == "0"
    assert client.get(FILE, headers=fields).text == "the host"
    assert code_of(client.get("/a/receive/other", headers=fields)) == (404, "receive_unknown")


@pytest.fixture
def server(place: Path) -> Iterator[Server]:
    with ExitStack() as running:
        made = listen(receiving(place), "127.0.0.1", 0)
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        running.callback(thread.join)
        running.callback(made.stop)
        yield made


def _head(size: int) -> bytes:
    fields = [
        f"PATCH {FILE} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {TOKEN}",
        "Upload-Offset: 0",
        f"Content-Length: {size}",
        "",
        "",
    ]
    return "\r\n".join(fields).encode()


def test_a_sender_that_stalls_is_cut_off_and_holds_up_nobody(
    server: Server, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_reader, "_BODY_TIME", 0.5)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as slow:
        slow.sendall(_head(1000) + b"x")
        for _ in range(receiver._AT_ONCE + 1):  # none of those at once waits for the slow one
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as other:
                other.sendall(_head(0).replace(b"PATCH", b"HEAD").replace(b"HTTP/1.1", b"HTTP/1.0", 1))
                assert other.recv(100).startswith(b"HTTP/1.1 200")
        assert slow.recv(100).startswith(b"HTTP/1.1 408")
    assert written(place) == {}


def test_a_start_says_how_to_send_and_prints_no_token_of_a_file(tmp_path: Path) -> None:
    said: list[str] = []
    given = {one.key: one.default for one in insight_receive.insight_options()}
    app = Response("the host")
    assert insight_receive.insight_wrap_app(app, AppSettings(options=given)) is app
    given["receive"] = str(tmp_path / "new/in")
    received(Response(""), AppSettings(options=given, say=said.append))
    received(Response(""), AppSettings(options=given, say=said.append))
    tokens = [text.rpartition(" ")[2] for text in said]
    assert len({*tokens}) == 2
    assert all(len(token) >= 43 for token in tokens)
    assert (tmp_path / "new/in").is_dir()
    receiving(tmp_path / "new/in")
    given["receive_token_file"] = str(tmp_path / "new/sender.token")
    received(Response(""), AppSettings(options=given, say=said.append))
    assert TOKEN not in said[-1]
    (tmp_path / "file").write_text("")
    given["receive"] = str(tmp_path / "file/in")
    with pytest.raises(InvalidArgument, match=r"--receive .*Not a directory"):
        received(Response(""), AppSettings(options=given))


def test_deleted_runs_are_no_part_of_the_quota_for_long(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "_FRESH", 0.0)
    place.mkdir()
    used = usage.Usage(place, 10, 10)
    (place / "a").mkdir()
    (place / "a/tfevents").write_bytes(bytes(10))
    with pytest.raises(NotReceived):
        used.take("b", 1)
    (place / "a/tfevents").unlink()
    used.take("b", 1)


@pytest.mark.parametrize(
    ("text", "bytes_of"), [("20G", 20 << 30), ("500 MiB", 500 << 20), ("7", 7), ("1k", 1024)]
)
def test_sizes(text: str, bytes_of: int) -> None:
    assert usage.size(text) == bytes_of


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5G", "50%", "G"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(Exception, match="is not a size"):
        usage.size(text)
