"""Which series of a view are in a snapshot."""

from __future__ import annotations

import json

import insight_scalar
import pytest
from werkzeug.test import Client

from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host

TAGS = ("acc/a", "acc/b", "it's", "loss", "tokens")


@pytest.fixture
def client() -> Client:
    fake = FakeProvider()
    for tag in TAGS:
        fake.add_scalars("a", tag, [1.0, 2.0])
    return Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), fake))


def _packed(client: Client, card: str | None = None, **state: str) -> set[str]:
    view = json.dumps({"runs": ["a"], "state": state, "card": card})
    answer = client.get("/data/plugin/scalar/snapshot", query_string={"view": view})
    assert answer.status_code == 200, answer.data
    length = int.from_bytes(answer.data[:4], "little")
    return {one["tag"] for one in json.loads(answer.data[4 : 4 + length])["series"]}


PANELS = "[('id':'x','kind':'lines','tags':['tokens'],'regex':'b$'),('kind':'bars','y':'last/it\"s')]"


def test_tags_of_panels_are_there_although_the_filter_hides_their_cards(client: Client) -> None:
    assert _packed(client, tags="loss", panels=PANELS) == {"loss", "tokens", "acc/b", "it's"}


@pytest.mark.parametrize("regex", [r"{x}\\1", "x" * 201])
def test_an_expression_that_the_host_does_not_bound_finds_all_tags(client: Client, regex: str) -> None:
    panels = f"[('id':'x','kind':'lines','regex':'{regex}')]"
    assert _packed(client, tags="loss", panels=panels) == set(TAGS)


def test_a_panel_alone_has_its_own_tags(client: Client) -> None:
    assert _packed(client, "\0x", panels=PANELS) == {"tokens", "acc/b"}
    assert _packed(client, "%00p1", panels=PANELS) == {"it's"}


@pytest.mark.parametrize("panels", ["[", "(", "[1,('tags':1,'margins':[1],'regex':5)]", "('a':1)"])
def test_malformed_panels_leave_the_rest(client: Client, panels: str) -> None:
    assert _packed(client, tags="loss", panels=panels) == {"loss"}


def test_the_errors_of_a_card_come_with_it() -> None:
    fake = FakeProvider()
    for tag in ("acc", "acc_stderr", "acc_upper", "other_stderr"):
        fake.add_scalars("a", tag, [1.0, 2.0])
    client = Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), fake))
    assert _packed(client, "acc") == {"acc", "acc_stderr", "acc_upper"}


def test_the_metric_that_is_the_axis_is_there(client: Client) -> None:
    assert _packed(client, "loss", x='="tokens"') == {"loss", "tokens", '="tokens"'}


@pytest.mark.parametrize("state", [{"x": "=step * 2"}, {"x": "=loss +"}, {"derived": "loss +=a;step=b"}])
def test_an_expression_that_is_none_leaves_the_rest(client: Client, state: dict[str, str]) -> None:
    assert _packed(client, tags="loss", **state) == {"loss"}
