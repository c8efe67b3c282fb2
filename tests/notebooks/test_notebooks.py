"""``%insight``: hosts that notebooks start, how they are found again, and what a cell shows."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from attrs import evolve

import insight_host
from insight_core.plugin.testing import EventWriter
from insight_host import RunningHost, StartFailed, display, running, start
from insight_host.hosts import _directory
from insight_host.notebook_frame import frame
from insight_host.server_proxy import setup

HOST = RunningHost(
    url="http://127.0.0.1:6010/",
    port=6010,
    path_prefix="",
    bound_host="127.0.0.1",
    logdir=("a",),
    pid=1,
    machine="m",
    started=0.0,
    boot="b",
    flags="{}",
)


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Nothing is kept in the user's directories, and no host outlives its test."""
    for name in ("INSIGHT_HOST_PROXY_URL", "INSIGHT_HOST_LOGDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("insight_host.hosts.user_state_path", lambda name: tmp_path / "state" / name)
    started = len(insight_host.hosts._children)
    yield
    for child in insight_host.hosts._children[started:]:
        child.terminate()
        child.wait(timeout=60)


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs" / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    return tmp_path / "logs"


class Shell:
    """What an IPython kernel has of its shell, as far as it is used here."""

    def __init__(self) -> None:
        self.magics: dict[str, object] = {}
        self.shown: list[str] = []

    def has_trait(self, name: str) -> bool:
        return name == "kernel"

    def register_magic_function(self, function: object, magic_kind: str, magic_name: str) -> None:
        self.magics[f"{magic_kind} {magic_name}"] = function


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A notebook: IPython as a kernel has it."""
    made = Shell()
    ipython, display_module = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.__dict__["get_ipython"] = lambda: made
    display_module.__dict__.update(HTML=lambda text: SimpleNamespace(data=text))
    display_module.__dict__["display"] = lambda html: made.shown.append(html.data)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display_module)
    return made


def test_a_host_is_shown_and_shown_again(
    shell: Shell, logdir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    insight_host.load_ipython_extension(shell)
    assert shell.magics == {"line insight": insight_host.insight}
    insight_host.insight(f"--logdir '{logdir}' --port 0  # a remark")
    assert capsys.readouterr().out == ""
    monkeypatch.chdir(logdir.parent)
    insight_host.insight("--logdir logs")  # the same, from another directory
    [host] = running()
    assert f"on port {host.port} is shown again (pid {host.pid};" in capsys.readouterr().out
    assert len(shell.shown) == 2
    assert all(f"[null, {host.port}, " in html for html in shell.shown)
    with urllib.request.urlopen(f"{host.url}data/runs") as answer:
        assert json.load(answer) == ["run"]
        policy = answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'self' http://localhost:*" in policy
    assert "vscode-webview:" in policy
    assert "googleusercontent" not in policy  # of Colab, which this is not
    assert os.getsid(host.pid) == host.pid  # what ends the kernel's group does not end it
    os.kill(host.pid, signal.SIGTERM)
    insight_host.hosts._children[-1].wait(timeout=60)
    assert running() == []
    assert list(_directory().iterdir()) == []  # what it said is gone too


def test_a_host_with_a_token_is_found_and_shown_with_it(
    shell: Shell, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSIGHT_HOST_TOKEN", "1")
    monkeypatch.setenv("INSIGHT_HOST_TOKEN_FILE", "not read")
    insight_host.insight(f"--logdir {logdir} --port 0")
    [host] = running()
    assert host.address == f"{host.url}?token={host.token}"
    assert f', "{host.token}"]' in shell.shown[0]
    assert host.token not in repr(host)
    again, is_new = start(["--logdir", str(logdir)])
    assert (again, is_new) == (host, False)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(f"{host.url}data/runs")


def test_flags_of_modules_count_as_flags(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSIGHT_HOST_TOKEN", "1")
    open_host, _ = start(["--logdir", str(logdir), "--port=0", "--no-token"])
    assert open_host.address == open_host.url
    assert start(["--logdir", str(logdir), "--no-token"]) == (open_host, False)
    assert start(["--logdir", str(logdir), "--port=0"])[1]
    with pytest.raises(StartFailed, match="leave --token-file out"):
        start(["--logdir", str(logdir), "--token-file", "mine"])


def test_other_flags_are_another_host(logdir: Path) -> None:
    first, is_new = start(["--logdir", str(logdir), "--port=0"])
    assert is_new
    other, is_new = start(["--logdir", str(logdir), "--port=0", "--path-prefix=/deep/er", "--window-title=x"])
    assert is_new
    assert other.url.endswith("/deep/er/")
    assert [host.pid for host in running()] == [other.pid, first.pid]
    again, is_new = start([f"--logdir={logdir}", f"--port={first.port}"])
    assert (again, is_new) == (first, False)


def test_a_record_of_another_process_is_not_believed(logdir: Path) -> None:
    host, _ = start(["--logdir", str(logdir), "--port=0"])
    [record] = _directory().glob("*.json")
    values = json.loads(record.read_text())
    record.write_text(json.dumps(values | {"machine": "elsewhere"}))
    assert running() == []
    assert record.exists()  # on a shared disk it is another machine's
    record.write_text(json.dumps(values | {"boot": "of another process"}))
    assert running() == []
    assert not record.exists()
    (_directory() / "damaged.json").write_text("{")
    assert running() == []
    assert host.pid


def test_flags_that_are_refused(shell: Shell, logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    insight_host.insight("")
    assert "no log directory: give one" in capsys.readouterr().err
    insight_host.insight(f"--logdir {logdir} --prot 1")
    assert "--prot" in capsys.readouterr().err
    insight_host.insight("inspect --logdir x")
    assert "is for a terminal" in capsys.readouterr().err
    insight_host.insight("--logdir 'x")
    assert "No closing quotation" in capsys.readouterr().err
    with pytest.raises(StartFailed, match=r"^cannot listen on 203\.0\.113\.1 port 0"):
        start(["--logdir", str(logdir), "--port=0", "--host=203.0.113.1", "--insecure"])
    display()
    assert "no notebook has started a host" in capsys.readouterr().err
    assert shell.shown == []


def test_in_a_terminal_the_address_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    display(HOST)
    assert capsys.readouterr().out == "insight-host at http://127.0.0.1:6010/\n"


@pytest.mark.parametrize(
    ("proxy", "host", "place"),
    [
        (None, HOST, '[null, 6010, "/", ""]'),
        (None, evolve(HOST, path_prefix="/a"), '[null, 6010, "/a/", ""]'),
        (None, evolve(HOST, bound_host="0.0.0.0"), '[null, 6010, "/", ""]'),
        (
            None,
            evolve(HOST, bound_host="10.1.2.3", url="http://10.1.2.3:6010/"),
            '["http://10.1.2.3:6010/", ',
        ),
        ("/user/me/proxy/%PORT%/", HOST, '["/user/me/proxy/6010/", '),
        ("https://hub.example/%PORT%", evolve(HOST, path_prefix="/a"), '["https://hub.example/6010/a/", '),
        ("https://fixed.example/x</script>", HOST, '["https://fixed.example/x\\u003c/script>/", '),
    ],
)
def test_where_a_page_finds_it(
    proxy: str | None, host: RunningHost, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if proxy is not None:
        monkeypatch.setenv("INSIGHT_HOST_PROXY_URL", proxy)
    html = frame(host, 300)
    assert f"= {place}" in html
    assert 'height="300"' in html
    [identifier] = re.findall(r'iframe id="([^"]+)"', html)
    assert f'getElementById("{identifier}")' in html


def test_in_colab_the_kernel_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    assert "google.colab.kernel.proxyPort(port" in frame(HOST)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--logdir runs#1 --port 0", ["--logdir", "runs#1", "--port", "0"]),
        ("--logdir 'a # b' \"c # d\" # it's a remark", ["--logdir", "a # b", "c # d"]),
        (r"--logdir a\ # b", ["--logdir", "a #", "b"]),
        ("# nothing but a remark", []),
    ],
)
def test_a_remark_begins_a_word(
    line: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = []

    def refuse(arguments: list[str]) -> None:
        given.append(arguments)
        raise StartFailed("it is a test")

    monkeypatch.setattr("insight_host.notebook_frame.start", refuse)
    insight_host.insight(line)
    assert given == [words]
    assert "it is a test" in capsys.readouterr().err


def test_who_may_ask_and_show_it_by_flags(
    logdir: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also from a directory with packages of the names that the host imports, and in Colab."""
    for name in ("numpy", "tensorboard"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('the wrong one')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    monkeypatch.setenv("INSIGHT_HOST_PROXY_URL", "https://[::1]:8443/%PORT%/")
    flags = ["--allowed-host=box.example", "--frame-ancestor=https://my.example", "--path-prefix=/a:b"]
    host, _ = start(["--logdir", str(logdir), "--port=0", *flags])
    assert host.url == f"http://127.0.0.1:{host.port}/a:b/"
    for name in ("box.example", "[::1]:8443"):
        asked = urllib.request.Request(f"{host.url}healthz", headers={"Host": name})
        with urllib.request.urlopen(asked) as answer:
            policy = answer.headers["Content-Security-Policy"]
    assert "https://my.example" in policy
    assert "https://*.googleusercontent.com" in policy


def test_a_host_that_is_slow_to_answer_is_kept(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host, _ = start(["--logdir", str(logdir), "--port=0"])
    os.kill(host.pid, signal.SIGSTOP)
    try:
        with monkeypatch.context() as patch:
            patch.setattr("insight_host.hosts._ANSWER", 0.3)
            assert running() == []
    finally:
        os.kill(host.pid, signal.SIGCONT)
    assert [found.pid for found in running()] == [host.pid]


@pytest.mark.parametrize(
    ("proxy", "name", "status"),
    [
        ("/proxy/%PORT%/", "any.example", 200),
        ("https://hub.example:8/%PORT%", "hub.example", 200),
        ("https://hub.example/%PORT%", "other.example", 403),
        ("HTTPS://me@hub.example/%PORT%", "hub.example", 200),
        ("//hub.example/%PORT%", "other.example", 403),
    ],
)
def test_a_proxy_may_ask_under_its_name(
    proxy: str, name: str, status: int, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSIGHT_HOST_PROXY_URL", proxy)
    host, _ = start(["--logdir", str(logdir), "--port=0"])
    asked = urllib.request.Request(f"{host.url}healthz", headers={"Host": name})
    try:
        with urllib.request.urlopen(asked) as answer:
            found = answer.status
    except urllib.error.HTTPError as error:
        with error:
            found = error.code
    assert found == status


def test_what_jupyter_server_proxy_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    [point] = [
        point for point in entry_points(group="jupyter_serverproxy_servers") if point.name == "insight"
    ]
    monkeypatch.chdir(tmp_path)
    told = point.load()()
    assert told["command"][0] == sys.executable
    assert told["command"][-2:] == ["--logdir", str(tmp_path)]
    assert "{port}" in told["command"]
    headers = told["request_headers_override"]
    token = headers.pop("Authorization").removeprefix("Bearer ")
    own = {"Host": "localhost:{port}", "Origin": "http://localhost:{port}"}
    assert headers == own  # Jupyter's own name would be refused
    file = Path(told["environment"]["INSIGHT_HOST_TOKEN_FILE"])
    assert file.read_text() == token
    assert file.stat().st_mode & 0o077 == 0
    assert Path(told["launcher_entry"]["icon_path"]).suffix == ".svg"
    monkeypatch.setenv("INSIGHT_HOST_LOGDIR", "elsewhere")
    assert "--logdir" not in point.load()()["command"]


def test_a_directory_of_jupyter_with_braces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    directory = tmp_path / "{exp} {0}"
    directory.mkdir()
    monkeypatch.chdir(directory)
    filled = [word.format(port=6006) for word in setup()["command"]]  # as jupyter-server-proxy does
    assert filled[-2:] == ["--logdir", str(directory)]
    assert "6006" in filled
