"""``/data/catalog`` names the series of plugins by column, in pages, by name, and as what changed since."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import insight_scalar
import pytest
from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Dialect, EventField, Plugin
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.providers.local import LocalProvider
from insight_core.web import Host, HostSettings
from tests.hosts import registry_of

Series = dict[tuple[str, str], dict[str, Any]]


def catalog(client: Client, **query: Any) -> dict[str, Any]:  # noqa: ANN401
    answer = client.get("/data/catalog", query_string={"plugin": "scalar", **query})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json or {}
    return found


def cursor(found: Mapping[str, Any]) -> str:
    return f"{found['boot']}-{found['generation']}"


def series_of(found: Mapping[str, Any]) -> Series:
    """The columns as a client reads them: a row for each series, in order."""
    keys = [
        (run, found["tags"][number])
        for run, which in zip(found["runs"], found["set_of"], strict=True)
        for number in found["sets"][which]
    ]
    rows: Series = {key: {} for key in keys}
    assert len(rows) == len(keys), "a series is there twice"
    for name, column in found["columns"].items():
        values, places = (column["values"], column["of"]) if isinstance(column, dict) else (None, column)
        each = places if isinstance(places, list) else [places] * len(keys)
        for key, value in zip(keys, each, strict=True):
            rows[key][name] = value if values is None else values[value]
    return rows


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def local(logs: Path) -> Iterator[LocalProvider]:
    provider = LocalProvider([Logdir(str(logs))], [insight_scalar.insight_plugin()])
    yield provider
    provider.close()


@pytest.fixture
def reader(local: LocalProvider, page_directory: Path) -> Callable[[], Client]:
    """Reads what is in the logs now, and gives a client of the host."""
    registry = registry_of(Plugin("scalar", "Scalars"))
    client = Client(Host(registry, local, HostSettings(page=page_directory)))

    def read() -> Client:
        local.load()
        return client

    return read


def write(run: Path, *tags: str, steps: range = range(3)) -> None:
    with EventWriter(run) as writer:
        for step in steps:
            for tag in tags:
                writer.scalar(tag, step, step / 2)


def test_a_name_is_sent_once_and_equal_lists_of_tags_too(client: Client, provider: FakeProvider) -> None:
    for run in ("a", "b", "c"):
        for tag in ("loss", "accuracy") if run != "c" else ("loss",):
            provider.add_scalars(run, tag, [1.0])
    found = catalog(client, run=["a", "b", "c"])
    assert sorted(found["tags"]) == ["accuracy", "loss"]
    assert found["runs"] == ["a", "b", "c"]
    assert found["set_of"] == [0, 0, 1]
    assert found["total"] == 5
    assert list(series_of(found)) == [
        *((run, tag) for run in ("a", "b") for tag in ("accuracy", "loss")),
        ("c", "loss"),
    ]
    assert found["columns"] == {"attempts": 1, "claims": {"values": [[]], "of": 0}}
    assert (found["since"], found["gone"]) == (None, {})


def test_every_column_says_what_tags_say(client: Client, provider: FakeProvider) -> None:
    provider.add_scalars("early", "accuracy", [0.1, 0.9], steps=[5, 3], description="share of hits")
    columns = ["points", "kept", "attempts", "first_step", "last_step", "last_value", "claims"]
    columns += ["display_name", "description"]
    found = series_of(catalog(client, columns=",".join(columns)))
    said = client.get("/data/plugin/scalar/tags").json or {}
    assert found == {(run, tag): info for run, tags in said.items() for tag, info in tags.items()}
    assert found["early", "accuracy"]["attempts"] == 2


def test_numbers_that_json_does_not_know_are_texts(client: Client, provider: FakeProvider) -> None:
    provider.add_scalars("late", "bad", [float("nan")])
    found = series_of(catalog(client, columns="last_value", run="late"))
    assert found["late", "bad"]["last_value"] == "NaN"
    assert found["late", "loss"]["last_value"] == 2.0


def test_only_the_runs_asked_for_are_there(client: Client) -> None:
    assert list(series_of(catalog(client, run="early"))) == [("early", "loss")]
    assert catalog(client, run="nothing")["runs"] == []


def test_a_plugin_without_series_has_an_empty_catalogue(client: Client) -> None:
    found = catalog(client, plugin="nothing")
    assert (found["total"], found["runs"], found["tags"]) == (0, [], [])


@pytest.mark.parametrize("columns", ["", "points,last_value"])
def test_pages_put_together_are_the_whole(client: Client, provider: FakeProvider, columns: str) -> None:
    for number in range(7):
        for tag in range(number):
            provider.add_scalars(f"run_{number}", f"t{tag}", [number, tag])
    whole = series_of(catalog(client, columns=columns))
    for limit in (1, 4, 5, 100):
        together: Series = {}
        for offset in range(0, len(whole) + limit, limit):
            page = catalog(client, columns=columns, offset=offset, limit=limit)
            assert page["total"] == len(whole)
            assert len(series_of(page)) <= limit
            together |= series_of(page)
        assert list(together.items()) == list(whole.items())


def test_a_page_reads_its_own_runs_alone(
    client: Client, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[str] | None, ...]] = []
    tables = provider.series_tables

    def counting(plugin: str, fields: Any, *, runs: Any = None, tags: Any = None) -> Any:  # noqa: ANN401
        asked.append((list(fields), *(None if names is None else list(names) for names in (runs, tags))))
        return tables(plugin, fields, runs=runs, tags=tags)

    monkeypatch.setattr(provider, "series_tables", counting)
    catalog(client, columns="points", offset=1, limit=1)
    assert asked == [([], None, None), (["points"], ["late"], ["loss"])]


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ({"q": "LOSS"}, {"loss", "val/loss", "loss.x"}),
        ({"q": "s.x"}, {"loss.x"}),
        ({"q": "^val/.*s$", "regex": 1}, {"val/loss", "val/bias"}),
        ({"q": "^(?!.*val)", "regex": 1}, {"loss", "loss.x"}),
        ({"q": ""}, {"loss", "val/loss", "val/bias", "loss.x"}),
    ],
)
def test_names_are_searched_on_the_server(
    client: Client, provider: FakeProvider, query: dict[str, Any], matches: set[str]
) -> None:
    for run in ("one", "two"):
        for tag in ("loss", "val/loss", "val/bias", "loss.x"):
            provider.add_scalars(run, tag, [1.0])
    found = catalog(client, run=["one", "two"], **query)
    assert set(series_of(found)) == {(run, tag) for run in ("one", "two") for tag in matches}
    assert found["total"] == 2 * len(matches)
    assert set(found["tags"]) == matches
    page = catalog(client, run=["one", "two"], limit=1, **query)
    assert page["total"] == found["total"]
    assert len(series_of(page)) == 1


def test_a_search_tries_each_name_once(client: Client, provider: FakeProvider) -> None:
    for run in range(50):
        provider.add_scalars(f"r{run}", "same", [1.0])
    tried: list[int] = []

    class Counting:
        def rows(self, names: list[str]) -> list[int]:
            tried.append(len(names))
            return list(range(len(names)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("insight_core.web.catalog.matcher_of", lambda *_, **__: Counting())
        catalog(client, q="same")
    assert tried == [2]  # and "loss"


@pytest.mark.parametrize(
    ("query", "code", "says"),
    [
        ({"q": "(", "regex": 1}, "bad_pattern", "q is not a regular expression"),
        ({"q": r"(a)\1", "regex": 1}, "unsupported_pattern", "q uses unsupported syntax"),
        ({"q": "a" * 201, "regex": 1}, "long_pattern", "q"),
        ({"regex": "maybe"}, "not_allowed", "regex must be 0 or 1"),
        ({"columns": "points,colour"}, "invalid_argument", "columns must be some of points, "),
        ({"limit": "-1"}, "not_whole", "limit must be a whole number"),
        ({"offset": "x"}, "not_whole", "offset must be a whole number"),
        ({"since": "yesterday"}, "invalid_argument", "since must be a generation"),
        ({"unclaimed": "2"}, "not_allowed", "unclaimed must be 0 or 1"),
    ],
)
def test_what_cannot_be_understood_is_refused_by_name(
    client: Client, query: dict[str, Any], code: str, says: str
) -> None:
    answer = client.get("/data/catalog", query_string={"plugin": "scalar", **query})
    assert (answer.status_code, (answer.json or {})["code"]) == (400, code)
    assert (answer.json or {})["error"].startswith(says)


def test_the_plugin_has_to_be_named(client: Client) -> None:
    answer = client.get("/data/catalog")
    assert answer.status_code == 400
    assert (answer.json or {})["details"] == {"name": "plugin"}


def test_a_search_has_an_end(client: Client, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insight_core.matching.SECONDS", 0.3)
    provider.add_scalars("late", "ab" * 2000 + "7", [1.0])
    endless = r"(.+)+(.+)+(.+)+(?=[0-9])[a-z]"  # there are very many ways to divide a name
    answer = client.get("/data/catalog", query_string={"plugin": "scalar", "regex": 1, "q": endless})
    assert answer.status_code == 400
    assert (answer.json or {})["error"].startswith("q takes too long")


def test_values_that_no_plugin_claims_have_their_owner(client: Client, provider: FakeProvider) -> None:
    provider.add_records(
        "plugin:text", "late", "note", [b"x"], claim=EventField(Dialect.TENSORBOARD, "tensor")
    )
    provider.add_records(
        "plugin:text", "late", "loss", [b"x"], claim=EventField(Dialect.TENSORBOARD, "tensor")
    )
    found = series_of(catalog(client, run="late", unclaimed=1, columns="plugin,points"))
    assert found == {
        ("late", "loss"): {"plugin": "scalar", "points": 2},  # of the plugin that is named
        ("late", "note"): {"plugin": "plugin:text", "points": 1},
    }
    assert set(series_of(catalog(client, run="late"))) == {("late", "loss")}


def test_a_delta_has_only_what_came_or_changed(client: Client, provider: FakeProvider) -> None:
    before = catalog(client)
    assert catalog(client, since=cursor(before))["total"] == 0
    provider.add_scalars("late", "accuracy", [1.0])
    provider.add_scalars("early", "loss", [0.1], steps=[9])
    provider.add_scalars("other", "x", [0.1], plugin="image")
    delta = catalog(client, since=cursor(before), columns="points,last_step")
    assert delta["since"] == before["generation"]
    assert series_of(delta) == {
        ("early", "loss"): {"points": 4, "last_step": 9},
        ("late", "accuracy"): {"points": 1, "last_step": 0},
    }
    assert catalog(client, since=cursor(delta))["total"] == 0
    assert set(series_of(catalog(client, since=cursor(before), q="acc"))) == {("late", "accuracy")}
    assert set(series_of(catalog(client, since=cursor(before), run="early"))) == {("early", "loss")}


def test_a_delta_names_what_went(client: Client, provider: FakeProvider) -> None:
    before = catalog(client)
    provider.remove_series("scalar", "late", "loss")
    delta = catalog(client, since=cursor(before))
    assert (delta["total"], delta["gone"]) == (0, {"late": ["loss"]})
    assert catalog(client, since=cursor(before), q="accuracy")["gone"] == {}
    assert catalog(client, since=cursor(before), run="early")["gone"] == {}


@pytest.mark.parametrize("since", ["another-2", "other-process-999", "999999"])
def test_a_cursor_that_this_host_did_not_give_is_answered_whole(client: Client, since: str) -> None:
    found = catalog(client, since=since)
    assert found["since"] is None
    assert set(series_of(found)) == {("early", "loss"), ("late", "loss")}


def test_a_delta_of_logs_that_grow(logs: Path, reader: Callable[[], Client]) -> None:
    write(logs / "a", "loss")
    write(logs / "b", "loss")
    first = catalog(reader())
    write(logs / "b", "loss", "accuracy", steps=range(3, 6))
    write(logs / "c", "loss")
    delta = catalog(reader(), since=cursor(first), columns="points,last_step,attempts")
    assert delta["since"] == first["generation"]
    assert series_of(delta) == {
        ("b", "loss"): {"points": 6, "last_step": 5, "attempts": 1},
        ("b", "accuracy"): {"points": 3, "last_step": 5, "attempts": 1},
        ("c", "loss"): {"points": 3, "last_step": 2, "attempts": 1},
    }


def test_a_restart_is_a_change_of_attempts(logs: Path, reader: Callable[[], Client]) -> None:
    write(logs / "a", "loss", "accuracy", steps=range(5))
    first = catalog(reader())
    assert first["columns"]["attempts"] == 1
    write(logs / "a", "loss", steps=range(2, 4))
    delta = series_of(catalog(reader(), since=cursor(first)))
    assert {key: row["attempts"] for key, row in delta.items()} == {("a", "loss"): 2}
    whole = series_of(catalog(reader()))
    assert {key: row["attempts"] for key, row in whole.items()} == {("a", "accuracy"): 1, ("a", "loss"): 2}


def test_values_written_in_two_ways_are_one_table(logs: Path, reader: Callable[[], Client]) -> None:
    with EventWriter(logs / "a") as writer:
        writer.scalar("simple", 1, 0.5)
        writer.scalars_tf2("tensor", 2, 0.25)
    found = series_of(catalog(reader(), columns="claims,last_step"))
    assert found == {
        ("a", "simple"): {"claims": ["tensorboard:simple_value"], "last_step": 1},
        ("a", "tensor"): {"claims": ["plugin:scalars"], "last_step": 2},
    }


def test_a_delta_names_the_series_of_a_run_that_vanished(logs: Path, reader: Callable[[], Client]) -> None:
    for run in ("a", "b"):
        write(logs / run, "loss", "accuracy")
    first = catalog(reader())
    write(logs / "a", "loss", steps=range(3, 5))  # a change that the removal replaces
    reader()
    shutil.rmtree(logs / "a")
    found = catalog(reader(), since=cursor(first))
    assert (found["since"], found["total"]) == (first["generation"], 0)
    assert found["gone"] == {"a": ["accuracy", "loss"]}
    write(logs / "a", "loss")
    found = catalog(reader(), since=cursor(first), columns="points")
    assert series_of(found) == {("a", "loss"): {"points": 3}}
    assert found["gone"] == {"a": ["accuracy"]}


def test_a_delta_has_all_series_of_a_run_whose_file_was_replaced(
    logs: Path, reader: Callable[[], Client]
) -> None:
    write(logs / "a", "loss", "accuracy")
    write(logs / "b", "loss")
    first = catalog(reader())
    [file] = (logs / "a").iterdir()
    write(logs / "a", "loss", steps=range(1))
    (new,) = set((logs / "a").iterdir()) - {file}
    new.replace(file)
    found = catalog(reader(), since=cursor(first), columns="points")
    assert found["since"] == first["generation"]
    assert series_of(found) == {("a", "loss"): {"points": 1}}
    assert found["gone"] == {"a": ["accuracy"]}


def test_damaged_logs_have_the_series_that_could_be_read(logs: Path, reader: Callable[[], Client]) -> None:
    write(logs / "a", "loss", "accuracy")
    write(logs / "b", "loss")
    [file] = (logs / "a").iterdir()
    file.write_bytes(file.read_bytes()[:-40])
    (logs / "b" / "events.out.tfevents.9").write_bytes(b"\xff" * 100)
    found = series_of(catalog(reader(), columns="points"))
    assert set(found) == {("a", "loss"), ("a", "accuracy"), ("b", "loss")}
    assert found["a", "accuracy"]["points"] == 2


def test_a_catalogue_holds_until_something_changes(client: Client, provider: FakeProvider) -> None:
    tag = client.get("/data/catalog?plugin=scalar").headers["ETag"]
    again = {"If-None-Match": tag}
    assert client.get("/data/catalog?plugin=scalar", headers=again).status_code == 304
    provider.add_scalars("late", "more", [1.0])
    assert client.get("/data/catalog?plugin=scalar", headers=again).status_code == 200
