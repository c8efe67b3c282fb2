"""``insight-host plugin dev``: a host that shows a plugin as it is in its directory, after every save."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from insight_authoring import gallery
from insight_authoring.node import NodeTools
from insight_core.cli.process import Ending
from insight_core.plugin import InvalidArgument

_LOOK = 0.3  # seconds between two looks at the Python files
_PATIENCE = 5.0  # seconds that a process has to end
_FIRST_BUILD = 60.0  # seconds
OTHERS = {"node_modules", "tests", "__pycache__"}  # directories whose files do not matter to the host


def develop(plugin: Path, flags: Sequence[str]) -> int:
    """Serves a plugin without installing it until a signal arrives; ``flags`` are those of ``insight-host``.

    Vite builds the front end after every save, and the page mounts the tab again. The host starts again when
    a Python file has changed. Returns the exit status. Raises InvalidArgument for a directory
    without a plugin.
    """
    with TemporaryDirectory(prefix="insight-host-dev-") as place, Ending() as ending, _building(plugin):
        development = _Development(plugin, flags, Path(place), ending)
        thread = threading.Thread(target=development.run, name="development")
        thread.start()
        number = ending.wait()
        development.stop.set()
        thread.join()
        return 128 + number if number else development.status


class _Development:
    """The host process, and what it has to start again for."""

    def __init__(self, plugin: Path, flags: Sequence[str], place: Path, ending: Ending) -> None:
        self.stop = threading.Event()
        self.status = 0
        self._plugin, self._flags, self._place, self._ending = plugin, flags, place, ending
        self._port: list[str] = []  # the flag for the port of the first host
        path = [*import_paths(plugin), str(place), os.environ.get("PYTHONPATH", "")]
        self._environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
        write_metadata(plugin, place)
        write_gallery(place)

    def run(self) -> None:
        """Keeps the host running until ``stop`` is set, or the host ends by itself."""
        try:
            while not self.stop.is_set():
                seen = python_files(self._plugin)
                with self._host() as host:
                    while host.poll() is None and python_files(self._plugin) == seen:
                        if self.stop.wait(_LOOK):
                            return
                    if host.poll() is not None:
                        self.status = host.returncode
                        return
                try:
                    write_metadata(self._plugin, self._place)
                except InvalidArgument as error:
                    print(f"insight-host: {error}", file=sys.stderr, flush=True)
        finally:
            self._ending.ask()

    @contextmanager
    def _host(self) -> Iterator[subprocess.Popen[str]]:
        command = [
            sys.executable,
            "-P",
            "-m",
            "insight_core.cli",
            "serve",
            "--watch-front-ends",
            *self._flags,
            *self._port,
        ]
        with _ended(command, stdout=subprocess.PIPE, text=True, env=self._environment) as host:
            assert host.stdout is not None
            first = host.stdout.readline()
            print(first, end="", flush=True)
            if address := re.search(r"https?://\S+", first):
                url, mark, query = address[0].partition("?")
                shown = f"{url}{gallery.PATH[1:]}{mark}{query}"
                print(f"components of @insight-host/kit at {shown}", flush=True)
                self._keep_token(query)
            if found := re.search(r"https?://\S+:(\d+)/", first):  # where the page expects the next host, too
                self._port = ["--port", found[1]]
            threading.Thread(target=_repeat, args=(host.stdout, sys.stdout), name="host", daemon=True).start()
            yield host

    def _keep_token(self, query: str) -> None:
        """Hosts that are started again have the same token, so that the open page goes on."""
        if query.startswith("token="):
            path = self._place / "token"
            path.touch(mode=0o600)
            path.write_text(query.removeprefix("token="), encoding="ascii")
            self._environment["INSIGHT_HOST_TOKEN_FILE"] = str(path)


def _repeat(lines: Iterable[str], out: TextIO, ended: threading.Event | None = None) -> None:
    """Prints what a process says; ``ended`` is set once Vite has built, or cannot."""
    for line in lines:
        print(line, end="", file=out, flush=True)
        if ended and re.search("built in|error|failed", line):
            ended.set()
    if ended:
        ended.set()


@contextmanager
def _building(plugin: Path) -> Iterator[None]:
    """Vite, which builds the front end whenever a source changes, unless there is nothing to build.

    What is saved while Vite builds for the first time would go unnoticed, so that build is waited for.
    """
    if not (plugin / "package.json").is_file():
        yield
        return
    node = NodeTools.find()
    node.install(plugin)
    flags = ["--watch", "--clearScreen", "false", "--minify", "false", "--sourcemap", "inline"]
    vite = [node.node, "node_modules/vite/bin/vite.js", "build", *flags]
    with _checking_types(plugin, node), _ended(vite, **_talking(plugin, node)) as building:
        assert building.stdout is not None
        built = threading.Event()
        arguments = (building.stdout, sys.stderr, built)
        threading.Thread(target=_repeat, args=arguments, name="build", daemon=True).start()
        built.wait(_FIRST_BUILD)
        yield


@contextmanager
def _checking_types(plugin: Path, node: NodeTools) -> Iterator[None]:
    """The compiler of TypeScript, which reports wrong types after every save; Vite builds with them."""
    compiler = "node_modules/typescript/bin/tsc"
    if not (plugin / compiler).is_file() or not (plugin / "tsconfig.json").is_file():
        yield
        return
    command = [node.node, compiler, "--noEmit", "--watch", "--preserveWatchOutput", "--pretty", "false"]
    with _ended(command, **_talking(plugin, node)) as checking:
        assert checking.stdout is not None
        threading.Thread(target=_tell_types, args=(checking.stdout,), name="types", daemon=True).start()
        yield


def _tell_types(lines: Iterable[str]) -> None:
    """Prints the errors of each run of a compiler that watches, and once that there are none left."""
    errors: list[str] = []
    were_wrong = False
    for line in lines:
        if "error TS" in line:
            errors.append(line)
        if re.search(r"Found \d+ error", line):  # and from now on it sees what is saved
            if were_wrong and not errors:
                print("types: no errors left", file=sys.stderr, flush=True)
            for error in errors:
                print(f"types: {error}", end="", file=sys.stderr, flush=True)
            errors, were_wrong = [], bool(errors)


def _talking(plugin: Path, node: NodeTools) -> dict[str, Any]:
    """How a tool of Node.js is started whose output is read.

    It has a process group of its own: tsc is a script that starts the compiler, and would leave it behind.
    """
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "process_group": 0}
    return {"cwd": plugin, "env": node.environment, "stdin": subprocess.DEVNULL, **output}


@contextmanager
def _ended(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[str]]:  # noqa: ANN401
    """A process, or its group if it has one, that is asked to end, and then killed."""
    with subprocess.Popen(command, **options) as process:

        def send(number: int) -> None:
            with suppress(ProcessLookupError):
                if "process_group" in options:
                    os.killpg(process.pid, number)
                else:
                    process.send_signal(number)

        try:
            yield process
        finally:
            send(signal.SIGTERM)
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                send(signal.SIGKILL)


def python_files(plugin: Path) -> Mapping[str, int]:
    """Modification times of what the host imports of a plugin: when one changes, the host starts again."""
    found = {}
    for directory, below, names in os.walk(plugin):
        below[:] = [name for name in below if name not in OTHERS and not name.startswith(".")]
        for name in names:
            path = os.path.join(directory, name)
            if name.endswith(".py") or name == "pyproject.toml":
                try:
                    found[path] = os.stat(path).st_mtime_ns
                except OSError:  # it has just gone
                    continue
    return found


def import_paths(plugin: Path) -> list[str]:
    """The directories from which Python imports a plugin: its own, and ``src`` where it has one."""
    return [str(one.absolute()) for one in (plugin, plugin / "src") if one.is_dir()]


def write_metadata(plugin: Path, place: Path) -> str:
    """Writes metadata below ``place``, by which Python finds the plugin as if it were installed.

    Returns the name of its distribution. Raises InvalidArgument if ``pyproject.toml`` has no project with an
    entry point.
    """
    source = plugin / "pyproject.toml"
    try:
        project = tomllib.loads(source.read_text(encoding="utf-8"))["project"]
        name, version, groups = project["name"], project.get("version", "0"), project["entry-points"]
    except OSError as error:
        raise InvalidArgument(f"{source}: {error.strerror}; DIR is the directory of a plugin") from error
    except (ValueError, KeyError) as error:
        raise InvalidArgument(f"{source}: {error}; a plugin has a project with entry points") from error
    _write_distribution(place, name, version, groups)
    return str(name)


def write_gallery(place: Path) -> None:
    """Writes metadata below ``place``, by which the host finds the gallery of the kit."""
    points = {"gallery": gallery.__name__}
    _write_distribution(place, "insight-host-gallery", "0", {"insight.middleware": points})


def _write_distribution(
    place: Path, name: str, version: str, groups: Mapping[str, Mapping[str, str]]
) -> None:
    # by the name of its directory Python knows that this is what may be installed as well
    info = place / f"{re.sub('[-_.]+', '_', name).lower()}-{version}.dist-info"
    info.mkdir(exist_ok=True)
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / "METADATA").write_text(text, encoding="utf-8")
    sections = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
        for group, points in groups.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(sections), encoding="utf-8")
