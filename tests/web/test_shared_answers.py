"""Equal questions of one state of the data are computed once, whoever asks and however many at a time."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from attrs import define, field
from werkzeug import Request, Response
from werkzeug.test import Client

from insight_core.http.answers import IMMUTABLE
from insight_core.plugin import InvalidArgument, Plugin, Route
from insight_core.plugin.http import json_response
from insight_core.plugin.testing import FakeProvider
from insight_core.web import Host, shared_answers
from insight_core.web.shared_answers import LARGEST, MOST_BYTES, SharedAnswer, Version
from tests.waiting import eventually

PATH = "/data/plugin/x/view"


@pytest.fixture
def answers_are_computed_each_time() -> None:
    """Replaces the fixture of all other tests."""


@define
class Counted:
    """A view that counts its calls and may be held back."""

    answer: Callable[[Request], Response] = field(default=lambda _: json_response({"n": 1}))
    calls: int = 0
    goes_on: threading.Event = field(factory=threading.Event)

    def __call__(self, request: Request) -> Response:
        self.calls += 1
        self.goes_on.wait(60)
        return self.answer(request)


@pytest.fixture
def host_with(host_of: Callable[..., Host]) -> Callable[[Any], Host]:
    def make(view: Counted, *, held: bool = False, age: float = 0.0) -> Host:
        if not held:
            view.goes_on.set()
        return host_of(Plugin("x", "X", routes=lambda _: [Route("/view", view, age=age)]))

    return make


def _together(host: Host, count: int, view: Counted, **options: Any) -> list[Response]:  # noqa: ANN401
    """Answers to so many equal requests, of which the first is not answered before all others wait for it."""
    waiting: list[SharedAnswer] = []
    whole = SharedAnswer.whole

    def waited(shared: SharedAnswer) -> Response | None:
        waiting.append(shared)
        return whole(shared)

    with pytest.MonkeyPatch.context() as patched, ThreadPoolExecutor(count) as pool:
        patched.setattr(SharedAnswer, "whole", waited)
        asked = [pool.submit(lambda: Client(host).get(PATH, **options)) for _ in range(count)]
        eventually(lambda: len(waiting) == count - 1)
        view.goes_on.set()
        return [one.result(60) for one in asked]


def test_many_clients_that_ask_at_a_time_share_one_computation(host_with: Callable[..., Host]) -> None:
    view = Counted()
    answers = _together(host_with(view, held=True), 20, view)
    assert {(one.status_code, one.get_data()) for one in answers} == {(200, b'{"n":1}')}
    assert view.calls == 1


def test_a_question_is_computed_again_when_data_came(
    host_with: Callable[..., Host], provider: FakeProvider
) -> None:
    view = Counted()
    client = Client(host_with(view))
    for _ in range(3):
        client.get(PATH)
    assert view.calls == 1
    provider.add_scalars("late", "acc", [1.0])
    client.get(PATH)
    assert view.calls == 2


def test_a_client_that_knows_no_later_data_receives_what_was_answered_meanwhile(
    host_with: Callable[..., Host], provider: FakeProvider
) -> None:
    view = Counted()
    client = Client(host_with(view))

    def tag_for(known: str | None) -> str:
        answer = client.get(PATH, headers={} if known is None else {"X-Insight-Known": known})
        return answer.get_etag()[0] or ""

    first = tag_for(None)
    boot, told, _ = first.split("-")
    provider.add_scalars("late", "acc", [1.0])
    assert tag_for(f"{boot}-{told}") == first  # and its tag says of which data it is
    assert view.calls == 1
    assert tag_for(f"{boot}-{int(told) + 1}") != first  # this one was told of more
    assert view.calls == 2
    provider.add_scalars("late", "acc", [1.0, 2.0])
    assert tag_for(f"{boot}-{10**17}") != first  # no later than now
    assert view.calls == 3
    provider.add_scalars("late", "acc", [1.0, 2.0, 3.0])
    for number, known in enumerate((None, told, f"other-{told}", f"{boot}-", f"{boot}-²", f"{boot}-{9**99}")):
        provider.add_scalars("late", "acc", [1.0] * number)
        tag_for(known)
        assert view.calls == 4 + number  # none of these says what it knows


def test_an_answer_with_an_age_is_that_of_all_clients_until_it_is_older(
    host_with: Callable[..., Host], provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(shared_answers, "monotonic", lambda: clock[0])
    view = Counted()
    client = Client(host_with(view, age=10.0))
    for clock[0] in (0.0, 5.0, 10.0):
        provider.add_scalars(f"run{clock[0]}", "acc", [1.0])
        answer = client.get(PATH)
        assert "ETag" not in answer.headers  # an answer may become another one while the data stay
    assert view.calls == 1
    clock[0] = 10.1
    client.get(PATH)
    assert view.calls == 2


def test_an_answer_that_took_long_is_shared_for_longer_than_its_age(
    host_with: Callable[..., Host], provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(shared_answers, "monotonic", lambda: clock[0])

    def answer(_: Request) -> Response:
        clock[0] += 2.0
        return json_response(1)

    view = Counted(answer)
    client = Client(host_with(view, age=10.0))
    client.get(PATH)
    for clock[0], calls in ((40.0, 1), (40.1, 2)):
        provider.add_scalars(f"run{clock[0]}", "acc", [1.0])
        client.get(PATH)
        assert view.calls == calls


def test_a_part_of_an_answer_with_an_age_is_received_by_those_who_waited_for_it_alone(
    host_with: Callable[..., Host],
) -> None:
    def answer(_: Request) -> Response:
        part = json_response(view.calls)
        part.cache_control.no_store = True
        return part

    view = Counted(answer)
    host = host_with(view, held=True, age=10.0)
    assert {one.get_json() for one in _together(host, 8, view)} == {1}
    assert Client(host).get(PATH).get_json() == 2


@pytest.mark.parametrize("age", [0.0, 10.0])
def test_what_a_user_writes_makes_an_answer_old(age: float) -> None:
    answer = SharedAnswer(Version(5, "before"), age, lambda: None)
    assert (answer.serves("before", 5), answer.serves("after", 5)) == (True, False)


def test_answers_of_earlier_data_are_forgotten_after_some_seconds(
    host_with: Callable[..., Host], provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = host_with(Counted())
    client = Client(host)
    client.get(PATH)
    provider.add_scalars("late", "acc", [1.0])
    client.get(f"{PATH}?other")
    assert len(host._shared._kept) == 2
    monkeypatch.setattr(shared_answers, "_OLDEST", 0.0)
    provider.add_scalars("late", "acc", [1.0, 2.0])
    client.get(f"{PATH}?third")
    assert len(host._shared._kept) == 1


def test_clients_that_have_answers_of_earlier_data_share_one_computation(
    host_with: Callable[..., Host],
) -> None:
    view = Counted()
    client = Client(host_with(view))
    for tag in ("one", "two", "three"):
        assert client.get(PATH, headers={"If-None-Match": f'W/"{tag}"'}).status_code == 200
    assert view.calls == 1


@pytest.mark.parametrize(
    "other",
    [
        {"query_string": {"a": 1}},
        {"headers": {"Accept-Encoding": "gzip"}},
        {"headers": {"Host": "127.0.0.1"}},
        {"environ_overrides": {"insight.read_only": True}},
    ],
    ids=["query", "encoding", "host", "guest"],
)
def test_other_questions_have_answers_of_their_own(
    host_with: Callable[..., Host], other: dict[str, Any]
) -> None:
    view = Counted()
    client = Client(host_with(view))
    client.get(PATH)
    client.get(PATH, **other)
    assert view.calls == 2


def test_a_posted_question_is_that_of_the_address(host_with: Callable[..., Host]) -> None:
    view = Counted(lambda request: json_response({"a": request.args.getlist("a")}))
    client = Client(host_with(view))
    asked = [client.get(f"{PATH}?a=1&a=2"), client.post(PATH, data={"a": ["1", "2"]})]
    asked.append(client.post(PATH, json={"a": [1, 2]}))
    assert [one.get_json() for one in asked] == [{"a": ["1", "2"]}] * 3
    assert view.calls == 1


def test_a_view_that_answers_post_itself_is_called_for_each_request(host_of: Callable[..., Host]) -> None:
    bodies: list[bytes] = []

    def view(request: Request) -> Response:
        bodies.append(request.get_data())
        return json_response(len(bodies))

    client = Client(
        host_of(Plugin("x", "X", routes=lambda _: [Route("/view", view, methods=("POST",), only_reads=True)]))
    )
    assert [client.post(PATH, data=b"a").get_json() for _ in range(2)] == [1, 2]
    assert bodies == [b"a", b"a"]


@pytest.mark.parametrize(
    "personal",
    [
        lambda request: request.cookies.get("a"),
        lambda request: request.headers.get("Authorization"),
        lambda request: request.environ.get("REMOTE_USER"),
        lambda request: request.remote_addr,
        lambda request: dict(request.headers),
        lambda request: [*request.environ],
        lambda request: request.environ | {"a": 1},
        lambda request: request.environ.copy(),
        lambda request: request.environ.pop("HTTP_COOKIE", None),
    ],
    ids=["cookie", "authorization", "user", "address", "all headers", "environ", "more", "copy", "taken"],
)
def test_an_answer_that_depends_on_who_asks_is_never_shared(
    host_with: Callable[..., Host], personal: Callable[[Request], object]
) -> None:
    def answer(request: Request) -> Response:
        personal(request)
        return json_response(1)

    view = Counted(answer)
    answers = _together(host_with(view, held=True), 4, view)
    assert {one.status_code for one in answers} == {200}
    assert view.calls == 4


@pytest.mark.parametrize(
    "header",
    [("Cache-Control", "no-store"), ("Cache-Control", "private"), ("Vary", "Cookie"), ("Set-Cookie", "a=b")],
)
def test_headers_can_forbid_to_share_an_answer(
    host_with: Callable[..., Host], header: tuple[str, str]
) -> None:
    def answer(_: Request) -> Response:
        made = json_response(1)
        made.headers[header[0]] = header[1]
        return made

    view = Counted(answer)
    client = Client(host_with(view), use_cookies=False)
    for _ in range(2):
        client.get(PATH)
    assert view.calls == 2


def test_those_who_wait_for_a_view_that_fails_receive_its_error(host_with: Callable[..., Host]) -> None:
    def answer(_: Request) -> Response:
        raise InvalidArgument("no such thing", code="x_missing")

    view = Counted(answer)
    host = host_with(view, held=True)
    answers = _together(host, 8, view)
    assert {(one.status_code, one.get_json()["code"]) for one in answers} == {(400, "x_missing")}
    Client(host).get(PATH)
    assert 1 < view.calls < 9  # who asks later has another try


def _pieces(count: int, size: int, made: list[int]) -> Callable[[Request], Response]:
    def pieces() -> Iterator[bytes]:
        for number in range(count):
            made.append(number)
            yield bytes([number % 256]) * size

    return lambda _: Response(pieces(), content_type="application/octet-stream")


def test_a_streamed_answer_is_made_once_and_sent_piece_by_piece(host_with: Callable[..., Host]) -> None:
    made: list[int] = []
    host = host_with(Counted(_pieces(4, 10, made)))
    first = Client(host).get(PATH, buffered=False)
    pieces = first.iter_encoded()
    assert (next(pieces), made) == (bytes(10), [0])
    second = Client(host).get(PATH)  # while the first client has only a part of it
    assert second.get_data() == b"".join(bytes([number]) * 10 for number in range(4))
    assert bytes(10) + b"".join(pieces) == second.get_data()
    assert made == [0, 1, 2, 3]


def test_a_streamed_answer_goes_on_when_its_first_client_went(host_with: Callable[..., Host]) -> None:
    made: list[int] = []
    host = host_with(Counted(_pieces(3, 10, made)))
    Client(host).get(PATH, buffered=False).close()
    assert len(Client(host).get(PATH).get_data()) == 30


def test_a_streamed_answer_that_breaks_off_is_not_kept(host_with: Callable[..., Host]) -> None:
    breaks = [True]

    def answer(_: Request) -> Response:
        def pieces() -> Iterator[bytes]:
            yield b"a"
            if breaks.pop():
                raise RuntimeError("no luck")
            yield b"b"

        return Response(pieces())

    host = host_with(Counted(answer))
    with pytest.raises(RuntimeError):
        Client(host).get(PATH).get_data()
    breaks.append(False)
    assert Client(host).get(PATH).get_data() == b"ab"


def test_a_large_answer_is_not_kept_and_reaches_every_client_whole(host_with: Callable[..., Host]) -> None:
    made: list[int] = []
    count = 2 * LARGEST // 100_000
    view = Counted(_pieces(count, 100_000, made))
    host = host_with(view)
    first = Client(host).get(PATH, buffered=False)
    pieces = first.iter_encoded()
    assert len(next(pieces)) == 100_000
    assert len(Client(host).get(PATH).get_data()) == count * 100_000
    assert sum(map(len, pieces)) == (count - 1) * 100_000
    assert view.calls == 2


def test_what_is_kept_is_bounded(host_with: Callable[..., Host]) -> None:
    view = Counted(lambda _: Response(bytes(LARGEST), content_type="application/octet-stream"))
    host = host_with(view)
    client = Client(host)
    for number in range(2 * MOST_BYTES // LARGEST):
        client.get(PATH, query_string={"a": number})
    assert sum(one.size for one in host._shared._kept.values()) <= MOST_BYTES
    before = view.calls
    client.get(PATH, query_string={"a": 2 * MOST_BYTES // LARGEST - 1})
    assert view.calls == before
    client.get(PATH, query_string={"a": 0})
    assert view.calls == before + 1


def test_an_answer_that_browsers_keep_keeps_its_headers(host_with: Callable[..., Host]) -> None:
    host = host_with(Counted(lambda _: json_response("x" * 5000, immutable=True)))
    for _ in range(2):
        answer = Client(host).get(PATH, headers={"Accept-Encoding": "gzip"})
        assert answer.headers["Cache-Control"] == IMMUTABLE
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["ETag"]


def test_every_client_of_a_streamed_answer_can_decompress_it(host_with: Callable[..., Host]) -> None:
    text = b"step,value\n" * 10_000
    view = Counted(lambda _: Response(iter([text[:50_000], text[50_000:]]), mimetype="text/csv"))
    host = host_with(view)
    for _ in range(4):
        answer = Client(host).get(PATH, headers={"Accept-Encoding": "gzip"})
        data = answer.get_data()
        assert (gzip.decompress(data) if answer.headers.get("Content-Encoding") == "gzip" else data) == text
        assert answer.headers.get("Content-Length") in (None, str(len(data)))
    assert view.calls == 1
