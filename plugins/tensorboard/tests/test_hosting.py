"""Hosting plugins made for TensorBoard: a failure of one affects no other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from insight_core.isolation import Limits
from tests.tensorboard import hosts
from tests.tensorboard.hosts import Open
from tests.tensorboard.installed import install, install_examples
from tests.waiting import eventually

open_host, provider = hosts.open_host, hosts.provider  # fixtures

_PLUGIN = """
from tensorboard.plugins import base_plugin
from werkzeug import Request, Response
from pathlib import Path
import time

class Plugin(base_plugin.TBPlugin):
    plugin_name = "{name}"
    def get_plugin_apps(self):
        routes = {{"/index.js": ok, "/boom": boom, "/hang": hang, "/exit": leave}}
        return routes | {{"/deep/*": ok, "/deep/er/*": er}}
    def is_active(self):
        {active}
    def frontend_metadata(self):
        return base_plugin.FrontendMetadata(es_module_path="/index.js")

@Request.application
def ok(request):
    return Response("ok", content_type="text/plain")

@Request.application
def er(request):
    return Response("er", content_type="text/plain")

def boom(environ, start_response):
    raise ValueError("no such thing")

def leave(environ, start_response):
    raise SystemExit(1)

def hang(environ, start_response):
    until_released()
    return ok(environ, start_response)

def until_released():
    while not Path(__file__).with_name("released").exists():
        time.sleep(0.01)
    return True
"""


def _write(directory: Path, module: str, active: str = "return True", name: str | None = None) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{module}.py").write_text(_PLUGIN.format(name=name or module, active=active))


def test_examples_load_list_and_answer(open_host: Open, tmp_path: Path) -> None:
    host = open_host(install_examples(tmp_path / "site"), prefix="/foo", logdirs=[("", "/some/logs")])
    row = host.row("scalars_by_tag")
    assert row == {
        "disable_reload": True,
        "enabled": True,  # there are scalars, whatever is_active says
        "remove_dom": True,
        "tab_name": "By tag",
        "loading_mechanism": {
            "type": "IFRAME",
            "module_path": "/foo/data/plugin/scalars_by_tag/static/index.js",
        },
        "titles": {},
    }
    assert host.row("greeting")["tab_name"] == "greeting"
    tags = host.get("/data/plugin/scalars_by_tag/tags")
    assert tags.json == {"eval/deep": ["loss"], "train": ["accuracy", "loss", "odd"]}
    assert tags.headers["X-Content-Type-Options"] == "nosniff"
    odd = host.get("/data/plugin/scalars_by_tag/scalars?run=train&tag=odd").json
    assert [value for _, _, value in odd] == ["NaN", "Infinity", "-Infinity", -0.0]  # type: ignore[union-attr]
    # every point, since nobody asked for fewer
    assert len(host.get("/data/plugin/scalars_by_tag/scalars?run=train&tag=loss").json) == 30  # type: ignore[arg-type]
    module = host.get("/data/plugin/scalars_by_tag/static/index.js")
    assert module.mimetype == "text/javascript"
    assert "render" in module.text
    assert host.get("/data/plugin/scalars_by_tag/static/nothing.txt").status_code == 500
    assert host.get("/data/plugin/scalars_by_tag/static/../scalars_by_tag.py").status_code == 404
    assert host.get("/data/plugin/scalars_by_tag/nothing").status_code == 404
    assert host.get("/data/plugin/nobody/tags").status_code == 404


def test_what_the_user_says_of_samples_is_asked_for(open_host: Open, tmp_path: Path) -> None:
    host = open_host(install_examples(tmp_path / "site"), samples={"scalars": 4})
    assert len(host.get("/data/plugin/scalars_by_tag/scalars?run=train&tag=loss").json) == 4  # type: ignore[arg-type]


def test_flags_and_the_request(open_host: Open, tmp_path: Path) -> None:
    host = open_host(install_examples(tmp_path / "site"), prefix="/foo", logdirs=[("", "/some/logs")])
    flags = host.get("/data/plugin/greeting/flags").json
    assert flags == {"greeting": "Hello", "logdir": "/some/logs", "context": "/some/logs"}
    plain = {"script": "/foo", "path": "/data/plugin/greeting/where", "experiment": "", "flags": {}}
    context = {"context": "RequestContext"}
    assert host.get("/data/plugin/greeting/where").json == plain | context
    named = plain | {"script": "/foo/experiment/E2", "experiment": "E2"}
    assert host.get("/experiment/E2/data/plugin/greeting/where").json == named | context
    header = {"Tensorboard-Experiment-Id": "X"}
    assert host.get("/data/plugin/greeting/where", **header).json == plain | context | {"experiment": "X"}
    asked = "/data/plugin/greeting/where?tensorBoardFeatureFlags=" + json.dumps({"a": 1, "b": 2})
    answer = host.get(asked, **{"X-TensorBoard-Feature-Flags": json.dumps({"a": 3})})
    assert answer.json == plain | context | {"flags": {"a": 3, "b": 2}}
    for wrong in ("[]", "{", "[" * 10_000):
        refusal = host.get("/data/plugin/greeting/where", **{"X-TensorBoard-Feature-Flags": wrong})
        assert refusal.status_code == 400
        assert refusal.mimetype == "text/plain"


def test_public_errors_are_answers(open_host: Open, tmp_path: Path) -> None:
    refusal = open_host(install_examples(tmp_path / "site")).get("/data/plugin/greeting/refuse")
    assert (refusal.status_code, refusal.mimetype) == (401, "text/plain")
    assert refusal.headers["WWW-Authenticate"] == "Digest"
    assert refusal.text == "Unauthenticated: who are you"


def test_children_of_plugins_find_tensorboard(open_host: Open, tmp_path: Path) -> None:
    host = open_host(install_examples(tmp_path / "site"))
    assert host.get("/data/plugin/greeting/child").json == {"text": "Not found: a run"}


def test_the_page_of_a_frame(open_host: Open, tmp_path: Path) -> None:
    host = open_host(install_examples(tmp_path / "site"))
    page = host.get("/data/plugin_entry.html?name=greeting")
    assert '<base href="plugin/greeting/" />' in page.text
    assert 'import("./index.js").then((m) => void m.render());' in page.text
    assert "'sha256-" in page.headers["Content-Security-Policy"]
    unknown = host.get("/data/plugin_entry.html?name=nobody")
    assert (unknown.status_code, unknown.text) == (404, "Not found: nobody")


def test_routes_are_found_as_tensorboard_finds_them(open_host: Open, tmp_path: Path) -> None:
    _write(tmp_path, "plain")
    host = open_host(install(tmp_path, {"plain": "plain:Plugin"}))
    texts = {
        "/index.js": "ok",
        "/index.js/": "ok",  # one slash at the end is as none
        "/deep/anything/below": "ok",
        "/deep/er/x": "er",  # the longest prefix
    }
    for path, text in texts.items():
        assert host.get(f"/data/plugin/plain{path}").text == text
    assert host.get("/data/plugin/plain/deep").status_code == 404


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("class Plugin:\n    def load(self, context): return 3", "its loader gives 3, no TBPlugin"),
        ("Plugin = 3", "its entry point gives 3, neither a TBPlugin nor a TBLoader"),
        (
            _PLUGIN.format(name="a.b", active="return True"),
            "its plugin_name is 'a.b': letters, digits, _ and - are allowed",
        ),
        (
            _PLUGIN.format(name="scalars", active="return True"),
            "the name 'scalars' is one of TensorBoard's own",
        ),
        (
            _PLUGIN.format(name="bad", active="return True").replace("return routes | {", "return 3 or {"),
            "its get_plugin_apps() gives 3, not applications by route",
        ),
        (
            _PLUGIN.format(name="bad", active="return True").replace('"/boom"', "1"),
            "its route 1 does not begin with a slash",
        ),
        (
            _PLUGIN.format(name="bad", active="return True").replace(
                "plugin_name =", "data_plugin_names = lambda self: None; plugin_name ="
            ),
            "its data_plugin_names() gives None, not names",
        ),
        (
            _PLUGIN.format(name="bad", active="return True").replace('"/boom"', '"boom"'),
            "its route 'boom' does not begin with a slash",
        ),
        (
            _PLUGIN.format(name="bad", active="return True").replace('"/boom"', '"/*/boom"'),
            "its route '/*/boom' has a * elsewhere than in a /* at the end",
        ),
    ],
)
def test_one_that_does_not_load_is_a_card(open_host: Open, tmp_path: Path, source: str, reason: str) -> None:
    site = install_examples(tmp_path / "site")
    (site / "broken.py").write_text(source)
    install(site, {"broken": "broken:Plugin"}, "broken-plugin")
    host = open_host(site)
    row = host.row("broken")
    assert row["error"] == f"{reason} (from broken-plugin)"
    assert row["enabled"] is False
    assert row["loading_mechanism"] == {"type": "NONE"}
    assert "error" not in host.row("greeting")


def test_flags_that_the_user_sets(open_host: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    host = open_host(
        install_examples(tmp_path / "site"),
        flags=["--greeting", "good morning", "--nobodys=3", "--port", "x"],
    )
    assert host.get("/data/plugin/greeting/flags").json["greeting"] == "Good morning"  # type: ignore[index]
    assert "no plugin has the flag --nobodys=3" in caplog.text


def test_experimental_ones_are_listed_to_who_asks(open_host: Open, tmp_path: Path) -> None:
    _write(tmp_path, "tried")
    _write(tmp_path, "loaded")
    source = (tmp_path / "tried.py").read_text()
    marked = "from tensorboard.backend import experimental_plugin\n" + source
    mixed_in = "class Plugin(experimental_plugin.ExperimentalPlugin, base_plugin.TBPlugin)"
    (tmp_path / "tried.py").write_text(marked.replace("class Plugin(base_plugin.TBPlugin)", mixed_in))
    loader = (
        "\nfrom tensorboard.backend import experimental_plugin\n"
        "class Loader(experimental_plugin.ExperimentalPlugin, base_plugin.TBLoader):\n"
        "    def load(self, context):\n        return Plugin(context)\n"
    )
    (tmp_path / "loaded.py").write_text((tmp_path / "loaded.py").read_text() + loader)
    host = open_host(install(tmp_path, {"tried": "tried:Plugin", "loaded": "loaded:Loader"}))
    assert host.get("/data/plugins_listing").json == {}
    asked = host.get("/data/plugins_listing?experimentalPlugin=tried&experimentalPlugin=other").json
    assert list(asked) == ["tried"]  # type: ignore[arg-type]
    assert list(host.get("/data/plugins_listing?experimentalPlugin=loaded").json) == ["loaded"]  # type: ignore[arg-type]
    assert host.get("/data/plugin/tried/index.js").text == "ok"


def test_of_two_with_one_name_the_first_stays(open_host: Open, tmp_path: Path) -> None:
    _write(tmp_path, "one", name="same")
    _write(tmp_path, "two", name="same")
    _write(tmp_path, "three", name="scalar")
    install(tmp_path, {"one": "one:Plugin", "three": "three:Plugin", "two": "two:Plugin"})
    host = open_host(tmp_path, taken={"scalar"})
    assert "error" not in host.row("same")
    assert "a plugin named 'same' is already there" in str(host.row("two")["error"])
    assert "a plugin named 'scalar' is already there" in str(host.row("three")["error"])


def test_disabled_ones_are_left_out(open_host: Open, tmp_path: Path) -> None:
    _write(tmp_path, "one")
    _write(tmp_path, "two")
    install(tmp_path, {"entry": "one:Plugin", "other": "two:Plugin"})
    host = open_host(tmp_path, disabled={"entry", "two"})
    assert host.get("/data/plugins_listing").json == {}
    assert host.get("/data/plugin/two/index.js").status_code == 404


def test_a_loader_may_give_nothing(open_host: Open, tmp_path: Path) -> None:
    (tmp_path / "nothing.py").write_text("class Loader:\n    def load(self, context):\n        return None\n")
    host = open_host(install(tmp_path, {"nothing": "nothing:Loader()".removesuffix("()")}))
    assert host.get("/data/plugins_listing").json == {}


def test_a_route_that_fails_names_the_plugin(
    open_host: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _write(tmp_path, "plain")
    host = open_host(install(tmp_path, {"plain": "plain:Plugin"}))
    for path in ("boom", "exit"):
        answer = host.get(f"/data/plugin/plain/{path}")
        assert answer.status_code == 500
        assert answer.text.startswith(f"plugin plain: GET /data/plugin/plain/{path} failed")
    assert "no such thing" in caplog.text
    assert "NotFound" not in caplog.text  # how the host came to ask it is of no interest to its author
    assert host.row("plain")["warnings"] == [
        "GET /data/plugin/plain/exit failed: SystemExit: 1",
        "GET /data/plugin/plain/boom failed: ValueError: no such thing",
    ]
    assert host.row("plain")["enabled"] is True
    assert host.get("/data/plugin/plain/index.js").text == "ok"


def test_a_route_that_hangs_is_given_up(open_host: Open, tmp_path: Path) -> None:
    _write(tmp_path, "plain")
    limits = Limits(view=0.3, slow=0.3, hanging=2)
    host = open_host(install(tmp_path, {"plain": "plain:Plugin"}), limits=limits)
    for _ in range(2):
        answer = host.get("/data/plugin/plain/hang")
        assert answer.status_code == 504
        assert "GET /data/plugin/plain/hang has not returned" in answer.text
        assert "hang has not returned" in str(host.row("plain")["warnings"])
    assert host.get("/data/plugin/plain/index.js").status_code == 503
    (tmp_path / "released").touch()
    eventually(lambda: host.get("/data/plugin/plain/index.js").status_code == 200)


def test_is_active_is_asked_beside_the_listing(open_host: Open, tmp_path: Path) -> None:
    _write(tmp_path, "active")
    _write(tmp_path, "hanging", "return until_released()")
    _write(tmp_path, "raising", "raise KeyError('runs')")
    names = ("active", "hanging", "raising")
    limits = Limits(active=3.0, listing=0.3, fresh=0.0)
    host = open_host(install(tmp_path, {name: f"{name}:Plugin" for name in names}), limits=limits)
    changed: list[bool] = []
    host.tensorboard.follow(lambda: changed.append(True))
    rows = host.get("/data/plugins_listing").json
    assert rows is not None
    assert [rows[name]["enabled"] for name in names] == [True, False, False]
    assert rows["raising"]["error"] == "is_active() failed: KeyError: 'runs'"
    assert "error" not in rows["hanging"]
    changed.clear()
    eventually(lambda: changed and "error" in host.row("hanging"))  # told without being asked
    assert "is_active() has not returned for" in str(host.row("hanging")["error"])
    changed.clear()
    (tmp_path / "released").touch()
    eventually(lambda: "error" not in host.row("hanging"))
    assert host.row("hanging")["enabled"] is True
    eventually(lambda: changed)


def test_one_that_loads_slowly_keeps_no_other_waiting(open_host: Open, tmp_path: Path) -> None:
    _write(tmp_path, "a_slow")
    source = (tmp_path / "a_slow.py").read_text()
    (tmp_path / "a_slow.py").write_text(source + "\nuntil_released()\n")
    _write(tmp_path, "quick")
    site = install(tmp_path, {"a_slow": "a_slow:Plugin", "quick": "quick:Plugin"})
    host = open_host(site, limits=Limits(imports=3.0))
    assert host.row("quick")["enabled"] is True
    assert "its loading (a_slow) has not returned for" in str(host.row("a_slow")["error"])
    (tmp_path / "released").touch()
    eventually(lambda: "error" not in host.row("a_slow"))
    assert host.get("/data/plugin/a_slow/index.js").text == "ok"


def test_tensorboards_own_page_and_routes_answer_from_our_data(open_host: Open, tmp_path: Path) -> None:
    host = open_host(install_examples(tmp_path / "site"), prefix="/foo", own=True)
    assert host.row("tensorboard")["loading_mechanism"] == {"type": "PAGE", "module_path": "tensorboard/"}
    assert "error" not in host.row("greeting")
    assert "<tb-webapp" in host.get("/tensorboard/").text
    tags = host.get("/data/plugin/scalars/tags").json
    assert {run: set(of_run) for run, of_run in tags.items()} == {  # type: ignore[union-attr]
        "train": {"accuracy", "loss", "odd"},
        "eval/deep": {"loss"},
    }


def test_nothing_is_imported_when_all_is_disabled(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from insight_tensorboard.hosted.mount import TensorBoardMount\n"
        "from insight_tensorboard.hosted.settings import TensorBoardSettings\n"
        "from insight_core.plugin.testing import FakeProvider\n"
        "settings = TensorBoardSettings(disabled={'projector', 'tensorboard'})\n"
        "tensorboard = TensorBoardMount(FakeProvider('logs'), settings)\n"
        "tensorboard.start()\n"
        "assert tensorboard.wait_until_loaded(30)\n"
        "assert tensorboard.listing() == {} and tensorboard.app_for('/tensorboard/') is None\n"
        "print('tensorboard' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
