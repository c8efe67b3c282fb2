"""``/data/saved``: who may save what, under which names, and who hears of it."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from werkzeug.test import Client

from insight_core.plugin import NotFound, Plugin, Unavailable
from insight_core.plugin.testing import FakeProvider
from insight_core.web import Host, HostSettings
from insight_core.web.state import saved as saved_store
from insight_core.web.state import state_file
from insight_core.web.state.saved import Changed, SavedStore
from tests.hosts import registry_of

Asked: TypeAlias = Any  # a client or an answer, whose JSON is indexed

PAGE = "/data/saved/page"
MINE, OTHERS = "/data/saved/plugin/mine", "/data/saved/plugin/others"


def _store(directory: Path, *logdirs: str, read_only: bool = False) -> SavedStore:
    return SavedStore(directory, lambda: logdirs or ["/logs"], read_only=read_only)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def host_with(provider: FakeProvider, page_directory: Path) -> Callable[[SavedStore | None], Host]:
    def make(store: SavedStore | None) -> Host:
        plugins = [Plugin(name, name.title()) for name in ("mine", "others")]
        return Host(registry_of(*plugins), provider, HostSettings(page=page_directory), None, store)

    return make


@pytest.fixture
def asked(host_with: Callable[[SavedStore | None], Host], state: Path) -> Asked:
    return Client(host_with(_store(state)))


def _headers(client: Asked, url: str = MINE) -> dict[str, str]:
    return {"Origin": "http://localhost", "X-Insight-Token": _list(client, url)["token"]}


def _list(client: Asked, url: str = MINE) -> Asked:
    return client.get(url).json


def _names(client: Asked, url: str = MINE) -> list[str]:
    return [entry["name"] for entry in _list(client, url)["entries"]]


def _save(client: Asked, name: object, value: object, version: object = None, url: str = MINE) -> Asked:
    body = {"name": name, "value": value, "version": version}
    return client.put(url, data=json.dumps(body), headers=_headers(client, url))


def _read(client: Asked, name: str, url: str = MINE) -> Asked:
    return client.get(url, query_string={"name": name})


def _remove(client: Asked, name: str, version: str, url: str = MINE) -> Asked:
    return client.delete(url, query_string={"name": name, "version": version}, headers=_headers(client, url))


def test_an_entry_is_saved_read_replaced_and_removed(asked: Asked) -> None:
    listed = [_list(asked)]
    value = {"columns": ["loss", "列"], "width": 1.5, "none": None}
    first = _save(asked, "mine", value).json
    assert first == {"name": "mine", "version": first["version"]}
    assert _read(asked, "mine").json == {**first, "value": value}
    listed.append(_list(asked))
    assert [(each["name"], each["version"]) for each in listed[-1]["entries"]] == [("mine", first["version"])]
    second = _save(asked, "mine", None, first["version"]).json
    assert _read(asked, "mine").json == {**second, "value": None}
    assert _remove(asked, "mine", second["version"]).json == {"name": "mine", "version": None}
    gone = _read(asked, "mine")
    assert (gone.status_code, gone.json["code"]) == (404, "unknown_saved")
    assert gone.json["details"] == {"name": "mine"}
    listed.append(_list(asked))
    assert listed[0]["entries"] == listed[-1]["entries"] == []
    assert listed[0]["generation"] < listed[1]["generation"] < listed[2]["generation"] - 1


def test_owners_do_not_see_each_others_entries(asked: Asked) -> None:
    for url in (MINE, OTHERS, PAGE):
        assert _save(asked, "view", url, url=url).status_code == 200, "the same name is free for every owner"
    assert {url: _read(asked, "view", url).json["value"] for url in (MINE, OTHERS, PAGE)} == {
        url: url for url in (MINE, OTHERS, PAGE)
    }
    assert _list(asked, "/data/saved/plugin/nobody")["code"] == "not_found"
    assert asked.put("/data/saved/plugin/nobody", data="{}", headers=_headers(asked)).status_code == 404


def test_a_page_that_read_an_older_version_overwrites_nothing(asked: Asked) -> None:
    first = _save(asked, "view", 1).json["version"]
    second = _save(asked, "view", 2, first).json["version"]
    for answer in (
        _save(asked, "view", 3, first),
        _save(asked, "view", 3),
        _remove(asked, "view", first),
    ):
        assert (answer.status_code, answer.json["code"]) == (409, "saved_changed")
        assert answer.json["details"] == {"name": "view", "version": second}
    assert _read(asked, "view").json["value"] == 2
    assert _remove(asked, "view", second).status_code == 200
    late = _save(asked, "view", 3, second)
    assert (late.status_code, late.json["details"]) == (409, {"name": "view", "version": None})
    assert _remove(asked, "view", second).json["code"] == "unknown_saved"


@pytest.mark.parametrize(
    "name", ["视图", "a/b", "../..", "//", "%2F", "🏔️ e\u0301", "نص", "a&name=b", "'\"<b>", "x" * 200]
)
def test_any_name_on_one_line_is_accepted(asked: Asked, state: Path, name: str) -> None:
    version = _save(asked, name, [name]).json["version"]
    assert _read(asked, name).json == {"name": name, "version": version, "value": [name]}
    assert _names(asked) == [name]
    assert [path.name for path in state.iterdir()] == ["saved"], "a name became a path"
    assert _remove(asked, name, version).status_code == 200


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "empty_parameter"),
        ("  ", "empty_parameter"),
        ("a\nb", "control_characters"),
        ("\x00", "control_characters"),
        ("x" * 201, "long_text"),
        ("\ud800", "half_a_pair"),
        (5, "invalid_argument"),
        (None, "invalid_argument"),
        (["a"], "invalid_argument"),
    ],
)
def test_other_names_are_refused(asked: Asked, name: object, code: str) -> None:
    answer = _save(asked, name, 1)
    assert (answer.status_code, answer.json["code"]) == (400, code)
    assert "name" in answer.json["error"]
    assert _names(asked) == []


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"", "JSON"),
        (b"\xff", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b"[1]", "object"),
        (b'{"name": "a", "value": 1}', "version"),
        (b'{"name": "a", "version": null}', "value"),
        (b'{"name": "a", "value": 1, "version": 7}', "version"),
        (b'{"name": "a", "value": NaN, "version": null}', "value"),
    ],
)
def test_a_body_that_is_refused_says_why(asked: Asked, body: bytes, named: str) -> None:
    answer = asked.put(MINE, data=body, headers=_headers(asked))
    assert answer.status_code == 400
    assert named in answer.json["error"]
    assert _names(asked) == []


@pytest.mark.parametrize(("query", "missing"), [({"version": "x"}, "name"), ({"name": "a"}, "version")])
def test_a_removal_names_the_parameter_that_is_missing(
    asked: Asked, query: Mapping[str, str], missing: str
) -> None:
    answer = asked.delete(MINE, query_string=query, headers=_headers(asked))
    assert (answer.status_code, answer.json["code"]) == (400, "missing_parameter")
    assert missing in answer.json["error"]


def test_an_entry_and_all_of_a_plugin_have_a_limit(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = _save(asked, "large", "x" * (saved_store.LARGEST - 1))
    assert (answer.status_code, answer.json["code"]) == (413, "large_saved")
    version = _save(asked, "large", "x" * (saved_store.LARGEST - 2)).json["version"]
    monkeypatch.setattr(saved_store, "LARGEST_SUM", saved_store.LARGEST + 100)
    full = _save(asked, "other", "x" * 100)
    assert (full.status_code, full.json["code"], full.json["details"]["name"]) == (413, "saved_full", "other")
    assert _save(asked, "other", "x" * 100, url=OTHERS).status_code == 200, "every plugin has room of its own"
    assert _save(asked, "large", "less", version).status_code == 200, "what is replaced does not count"
    assert _save(asked, "other", "x" * 100).status_code == 200
    huge = asked.put(MINE, data=b"x" * (2 * saved_store.LARGEST), headers=_headers(asked))
    assert (huge.status_code, huge.json["code"]) == (413, "large_body")
    assert "bytes" in huge.json["error"]


def test_a_read_only_host_shows_and_does_not_save(
    host_with: Callable[[SavedStore | None], Host], state: Path
) -> None:
    _store(state).write("plugin/mine", "view", 1, None)
    client = Client(host_with(_store(state, read_only=True)))
    answer = _list(client)
    assert (answer["writable"], _read(client, "view").json["value"]) == (False, 1)
    assert "--read-only" in answer["reason"]


def test_a_host_without_state_says_so(host_with: Callable[[SavedStore | None], Host]) -> None:
    client = Client(host_with(None))
    answer = _list(client)
    assert (answer["writable"], answer["entries"]) == (False, [])
    assert "state directory" in answer["reason"]
    assert (_save(client, "view", 1).status_code, _names(client)) == (503, [])


def test_a_logdir_has_entries_of_its_own_however_it_is_combined(state: Path) -> None:
    _store(state, "/a").write("page", "view", 1, None)
    _store(state, "/b", "/a").write("page", "view", 2, None)

    def saved(*logdirs: str) -> object:
        return dict(_store(state, *logdirs).now().by_owner.get("page", {}))

    assert (saved("/a"), saved("/a", "/b"), saved("/b")) == ({"view": "1"}, {"view": "2"}, {})


def test_logdirs_that_become_known_or_change_bring_their_entries(state: Path) -> None:
    _store(state, "/a").write("page", "view", 1, None)
    logdirs: list[str] = []

    def locations() -> list[str]:
        if not logdirs:
            raise Unavailable("not connected yet")
        return logdirs

    store = SavedStore(state, locations)
    assert (store.now().by_owner, store.write_refusal()) == ({}, "not connected yet")
    with pytest.raises(Unavailable, match="not connected"):
        store.write("page", "other", 1, None)
    before = store.generation()
    logdirs.append("/a")
    assert store.now().by_owner == {"page": {"view": "1"}}
    assert store.generation() > before
    logdirs[0] = "/b"
    assert store.now().by_owner == {}


def _overwrite(directory: str, times: int) -> None:
    state_file._TIDY_FROM = 500
    store = _store(Path(directory))
    for _ in range(times):
        written = False
        while not written:
            found = store.now().by_owner.get("page", {}).get("sum")
            try:
                store.write("page", "sum", int(found or 0) + 1, saved_store.version_of(found))
                written = True
            except Changed:
                pass


def test_hosts_that_save_the_same_entry_at_once_lose_nothing(state: Path) -> None:
    with ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as hosts:
        list(hosts.map(_overwrite, [str(state)] * 3, [40] * 3))
    assert _store(state).now().by_owner == {"page": {"sum": "120"}}


@pytest.mark.parametrize(
    "torn", [b'{"owner": "plugin/mine", "na', b"\x00" * 50, b'{"owner": "page", "name": "x"}']
)
def test_a_damaged_file_is_named_and_keeps_all_of_its_bytes(
    host_with: Callable[[SavedStore | None], Host], state: Path, torn: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_file, "_TIDY_FROM", 500)
    _store(state).write("plugin/mine", "view", 1, None)
    (path,) = (state / "saved").iterdir()
    with open(path, "ab") as file:
        file.write(torn + b"\n")
    client = Client(host_with(_store(state)))
    assert _list(client)["damage"] == {"file": str(path), "lines": 1}
    assert _names(client) == ["view"]
    version = _read(client, "view").json["version"]
    for number in range(30):
        version = _save(client, "view", number, version).json["version"]
    assert path.read_bytes().count(b"\n") < 25, "it was compacted"
    assert torn in path.read_bytes()
    assert _list(Client(host_with(_store(state))))["damage"]["lines"] == 1


def test_an_entry_that_is_removed_twice_is_not_there(state: Path) -> None:
    store, other = _store(state), _store(state)
    version = store.write("page", "view", 1, None)
    store.remove("page", "view", version)
    with pytest.raises(NotFound):
        other.remove("page", "view", version)
