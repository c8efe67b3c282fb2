"""Hosts that notebooks start: one for each set of flags, found again by other cells and notebooks."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen
from platformdirs import user_state_path

from insight_core.cli.flag_types import is_logdir_name
from insight_core.cli.flags import Options
from insight_core.cli.options import read_options
from insight_core.registry import Registry

# The pages in which notebooks show what cells print: Jupyter on this machine, VS Code; and Colab.
_NOTEBOOKS = (
    *(f"{scheme}://{name}:*" for name in ("localhost", "127.0.0.1") for scheme in ("http", "https")),
    "vscode-webview:",
    "https://*.vscode-cdn.net",
)
_COLAB = ("https://colab.research.google.com", "https://*.googleusercontent.com")
_TOKEN_FILE = "INSIGHT_HOST_TOKEN_FILE"
_PATIENCE = 60.0  # seconds until a host must listen; it does before it has loaded anything
_ANSWER = 2.0  # seconds for a host on this machine to answer
_NEVER = (1 << 53) - 1  # a generation that no host has reached: asked about it, it tells little
_OF_THIS_PROCESS = (
    "command",
    "port",
    "open",
    "verbosity",
    "json",
    "origins",
    "registry",
)  # not of what is served

_children: list[subprocess.Popen[bytes]] = []  # an object that goes warns that its process has not


class StartFailed(Exception):
    """No host came up; the text says why."""


@frozen
class RunningHost:
    """A host that a notebook started. ``url`` is where this machine finds it, ``token`` lets clients in."""

    url: str
    port: int
    path_prefix: str
    bound_host: str
    logdir: tuple[str, ...]
    pid: int
    machine: str
    started: float  # seconds since the epoch
    boot: str = field(repr=False)  # identifies the process, as another host may reuse the port
    flags: str = field(repr=False)  # what it was started with
    token: str = field(default="", repr=False)  # empty with --no-token

    @property
    def address(self) -> str:
        """What a browser opens first: ``url`` with the token."""
        return f"{self.url}?{urllib.parse.urlencode({'token': self.token})}" if self.token else self.url


def start(arguments: Sequence[str], *, patience: float = _PATIENCE) -> tuple[RunningHost, bool]:
    """The host for a command line of ``insight-host``, and whether it was started just now.

    Raises StartFailed, and SystemExit, the reason printed, for flags that ``insight-host`` refuses.
    """
    options = read_options(arguments)
    if options.command != "serve":
        raise StartFailed(f"a notebook shows hosts; `insight-host {options.command}` is for a terminal")
    flags = _flags(options)
    for host in running():
        if host.flags == flags and options.port in (None, 0, host.port):
            return host, False
    return _started(arguments, options, flags, patience), True


def running() -> list[RunningHost]:
    """The hosts on this machine that notebooks of this user have started and that answer, newest first."""
    found = []
    for path in _directory().glob("*.json"):
        host = _recorded(path)
        if host is None or host.machine != socket.gethostname():
            continue
        try:
            if _boot(host.url, host.token) == host.boot:
                found.append(host)
                continue
        except TimeoutError:  # it may be back
            continue
        except OSError:
            pass
        for left in (path, path.with_suffix(".log")):
            left.unlink(missing_ok=True)
    return sorted(found, key=lambda host: -host.started)


def _started(arguments: Sequence[str], options: Options, flags: str, patience: float) -> RunningHost:
    if options.registry is not None and _has_own_token(options.registry):
        raise StartFailed("a host of a notebook has a token of its own: leave --token-file out")
    environment = {name: value for name, value in os.environ.items() if name != _TOKEN_FILE}
    place = _directory() / uuid.uuid4().hex
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    said = place.with_suffix(".log")
    command = [sys.executable, "-P", "-m", "insight_core.cli", *arguments, *_flags_for_notebooks(options)]
    with said.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment,
        )
    _children.append(process)
    try:
        printed = urllib.parse.urlsplit(_address(process, said, time.monotonic() + patience))
        url = printed._replace(query="").geturl()
        token = urllib.parse.parse_qs(printed.query).get("token", [""])[0]
        host = RunningHost(
            url=url,
            port=printed.port or 80,
            path_prefix=options.path_prefix,
            bound_host=options.host,
            logdir=options.logdir,
            pid=process.pid,
            machine=socket.gethostname(),
            started=time.time(),
            boot=_boot(url, token),
            flags=flags,
            token=token,
        )
    except BaseException as error:
        process.kill()
        process.wait()
        said.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise StartFailed(f"it does not answer: {error}") from error
        raise
    place.with_suffix(".json").write_text(json.dumps(asdict(host)), encoding="utf-8")
    return host


def _has_own_token(registry: Registry) -> bool:
    """Whether ``--token-file`` was given, whichever module has this flag."""
    return any(values.get("token_file") for values in registry.options.values())


def _address(process: subprocess.Popen[bytes], said: Path, until: float) -> str:
    """The URL that the host prints once it listens, with the token. Raises StartFailed."""
    while True:
        ended = process.poll()  # before the look: what it says at its end counts
        text = said.read_text(encoding="utf-8", errors="replace")
        if found := re.search(r"^insight-host .* at (https?://\S+) ", text, re.MULTILINE):
            return found[1]
        if ended is not None:
            reason = re.sub(r"^insight-host: (error: )?", "", text.strip())
            raise StartFailed(reason or f"it ended with exit code {ended} and said nothing")
        if time.monotonic() > until:
            raise StartFailed(f"it does not listen yet. What it said: {text.strip() or 'nothing'}")
        time.sleep(0.02)


def _flags(options: Options) -> str:
    """What is served, as one text: equal for equal flags, from whatever directory they were given."""
    values = asdict(options, filter=lambda field, _: field.name not in _OF_THIS_PROCESS)
    values["logdir"] = [_absolute(text) for text in options.logdir]
    values["of_modules"] = dict(options.registry.options) if options.registry is not None else {}
    values["allowed_host"] = [*options.allowed_host, *_names_of_proxies()]
    with suppress(PackageNotFoundError):  # run from a source tree
        values["version"] = version("insight-host")
    return json.dumps(values, sort_keys=True, default=str)


def _absolute(text: str) -> str:
    name, colon, path = text.partition(":")
    if colon and path and is_logdir_name(name) and "://" not in text:
        return f"{name}:{os.path.abspath(os.path.expanduser(path))}"
    return os.path.abspath(os.path.expanduser(text))


def _flags_for_notebooks(options: Options) -> Iterator[str]:
    """Pages that may show it, and names under which proxies ask. Flags hide variables: these go along."""
    for source in (*options.frame_ancestor, *_NOTEBOOKS, *(_COLAB if is_colab() else ())):
        yield f"--frame-ancestor={source}"
    for name in (*options.allowed_host, *_names_of_proxies()):
        yield f"--allowed-host={name}"


def _names_of_proxies() -> Iterator[str]:
    proxy = proxy_url()
    if proxy is not None:
        # without a name it is that of the notebook's page, which is not known here
        yield urllib.parse.urlsplit(proxy).hostname or "*"
    elif is_colab():
        yield "*"  # only Colab's proxy reaches that machine


def proxy_url() -> str | None:
    """Where a proxy shows ports of this machine; ``%PORT%`` stands for the port."""
    return os.environ.get("INSIGHT_HOST_PROXY_URL") or None


def is_colab() -> bool:
    """Whether this process is a Colab notebook."""
    return "google.colab" in sys.modules


def _directory() -> Path:
    return user_state_path("insight-host") / "notebooks"


def _recorded(path: Path) -> RunningHost | None:
    with suppress(OSError, ValueError, TypeError):
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return RunningHost(**values | {"logdir": tuple(values.get("logdir", ()))})
    return None


def _boot(url: str, token: str) -> str:
    """By which this process of a host is known. Raises OSError when nobody answers as a host does."""
    here = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy on the way to this machine
    try:
        request = urllib.request.Request(f"{url}data/changes?since={_NEVER}")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with here.open(request, timeout=_ANSWER) as answer:
            return str(json.load(answer)["boot"])
    except (ValueError, KeyError, TypeError) as error:
        raise OSError(f"{url} is not an insight-host") from error
