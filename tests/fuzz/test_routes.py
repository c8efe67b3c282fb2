"""Requests made of ``/openapi.json``, right ones and wrong ones, on good logs and on damaged ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from openapi_spec_validator import validate
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from werkzeug import Request
from werkzeug.datastructures import ImmutableMultiDict, MultiDict
from werkzeug.test import Client, TestResponse

from tests.fuzz.decoders import LOGS
from tests.fuzz.hosts import Names, known_names, loaded_host
from tests.fuzz.mutants import write_mutants
from tests.support.damaged_logdir import damaged_logdir

_ENDLESS = "/data/events"
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"


class _NotedParameters(ImmutableMultiDict[str, str]):
    """Parameters of a request, which note what is read of them."""

    read: set[str]

    def get(self, key: str, *more: Any, **named: Any) -> Any:  # noqa: ANN401
        self.read.add(key)
        return super().get(key, *more, **named)

    def getlist(self, key: str, *more: Any) -> Any:  # noqa: ANN401
        self.read.add(key)
        return super().getlist(key, *more)

    def __getitem__(self, key: str) -> str:
        self.read.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.read.add(str(key))
        return super().__contains__(key)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """Names of the query parameters that views have read, by path of the request."""
    found: dict[str, set[str]] = {}
    plain = Request.args.fget  # type: ignore[attr-defined]

    def args(request: Request) -> _NotedParameters:
        noted = _NotedParameters(plain(request))
        noted.read = found.setdefault(request.path, set())
        return noted

    monkeypatch.setattr(Request, "args", property(args))
    return found


@pytest.fixture(scope="module", params=["good", "damaged"])
def host(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Asked]:
    logs = LOGS
    if request.param == "damaged":
        logs = tmp_path_factory.mktemp("logs") / "logs"
        damaged_logdir(logs)
        list(write_mutants(logs, request.config.getoption("--fuzz-mutants"), 1))
    with ExitStack() as opened:
        host, provider = opened.enter_context(loaded_host(logs))
        yield _Asked(Client(host), known_names(host, provider))


class _Asked:
    def __init__(self, client: Client, known: Mapping[str, list[Names]]) -> None:
        self.client, self.known = client, known
        self.described: dict[str, Any] = client.get("/openapi.json").get_json()
        validate(self.described)

    def requests(self) -> Iterator[Any]:
        """An operation of schemathesis for each method of each path."""
        schema = schemathesis.openapi.from_dict(self.described)
        for result in schema.get_all_operations():
            assert isinstance(result, Ok)
            if result.ok().path != _ENDLESS:
                yield result.ok()

    def send(self, case: Any, choices: st.DataObject) -> TestResponse:  # noqa: ANN401  of schemathesis
        """Sends a request, in which most names are those of something in the logs."""
        query = dict(case.query or {})
        declared = {each["name"] for each in case.operation.definition.raw.get("parameters", ())}
        known = self.known.get(case.path.removeprefix("/data/plugin/").partition("/")[0], [])
        if known and choices.draw(st.integers(0, 9)) < 8:
            names = choices.draw(st.sampled_from(known))
            query |= {name: value for name, value in names.items() if name in declared}
            for name in ("step", "wall_time"):  # which pin the record
                query.pop(name, None)
        body: dict[str, Any] = {}
        if case.media_type == _FORM and isinstance(case.body, dict):
            body = {"data": _pairs(case.body), "content_type": _FORM}
        elif case.media_type is not None:
            body = {"data": json.dumps(_plain(case.body)), "content_type": _JSON}
        headers = {name: value.encode("ascii", "replace").decode() for name, value in case.headers.items()}
        return self.client.open(
            case.formatted_path, method=case.method, query_string=_pairs(query), headers=headers, **body
        )


def _pairs(values: Mapping[str, Any]) -> MultiDict[str, str]:
    return MultiDict(
        (name, value if isinstance(value, str) else json.dumps(_plain(value)))
        for name, given in values.items()
        for value in (given if isinstance(given, list) else [given])
    )


def _plain(value: Any) -> Any:  # noqa: ANN401
    """What of a body JSON can hold: schemathesis has a value of its own for none at all."""
    return value if isinstance(value, dict | list | str | int | float | None) else None


def _check(case: Any, answer: TestResponse) -> None:  # noqa: ANN401
    declared = case.operation.definition.raw["responses"]
    what = f"{answer.status} to {case.method} {answer.request.path}?{answer.request.query_string!r}"
    assert answer.status_code < 500 or answer.status_code in (503, 504), what
    assert str(answer.status_code) in declared, what
    if answer.status_code >= 400:
        said = answer.get_json()
        assert isinstance(said["error"], str), what
        assert isinstance(said["code"], str), what
        assert said.keys() <= {"error", "code", "details"}, what
    elif answer.status_code == 200:
        kinds = declared["200"]["content"]
        assert answer.mimetype in kinds or "*/*" in kinds, f"{what}: {answer.mimetype}"
        if answer.mimetype == _JSON:
            answer.get_json()


def test_every_answer_is_one_that_is_described(
    host: _Asked, read: dict[str, set[str]], pytestconfig: pytest.Config
) -> None:
    for operation in host.requests():
        cases = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        if any(operation.definition.raw.get(part) for part in ("parameters", "requestBody")):
            cases |= operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)

        @given(cases, st.data())
        @settings(
            max_examples=pytestconfig.getoption("--fuzz-requests"),
            phases=[Phase.generate],
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        def ask(case: Any, choices: st.DataObject) -> None:  # noqa: ANN401
            _check(case, host.send(case, choices))

        ask()
    undeclared = set()
    for path, names in read.items():
        if path == "/":  # of a request that a view makes of a part of its own
            continue
        declared = host.described["paths"].get(path, {}).get("get", {}).get("parameters", ())
        undeclared |= {f"{path}: {name}" for name in names - {each["name"] for each in declared}}
    assert undeclared == set()
