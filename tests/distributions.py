"""Builds the distributions of this checkout, and installs them as a user would, without the network."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Mapping
from pathlib import Path

_PYENV = Path.home() / ".pyenv/versions"


def built(source: Path, out: Path, kind: str, environment: Mapping[str, str]) -> Path:
    """The sdist or wheel (``kind``) of a source tree, built into an empty directory."""
    done = subprocess.run(
        [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(out), str(source)],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [distribution] = out.iterdir()
    return distribution


def other_pythons(oldest: int) -> list[str]:
    """The Pythons of this machine from 3.``oldest`` to 3.14, apart from this one.

    Those of pyenv first: its shims on the path lead to one version only."""
    found = {
        version: next(_PYENV.glob(f"3.{version}.*/bin/python"), None) or shutil.which(f"python3.{version}")
        for version in range(oldest, 15)
        if version != sys.version_info[1]
    }
    return [str(path) for path in found.values() if path is not None]


def made_once(place: Path, make: Callable[[Path], object]) -> Path:
    """The file in ``place``: the first process that asks makes it in an empty directory, others wait."""
    with open(f"{place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            unfinished = Path(tempfile.mkdtemp(prefix=place.name, dir=place.parent))
            make(unfinished)
            unfinished.rename(place)
    [file] = place.iterdir()
    return file


def unpacked(sdist: Path, place: Path) -> Path:
    """The source tree in an sdist, below an empty directory."""
    # not tarfile: its extraction filters came with Python 3.11.4, and going without warns from 3.12 on
    subprocess.run(["tar", "-xzf", str(sdist), "-C", str(place)], check=True)
    [source] = place.iterdir()
    return source


def install(source: Path, target: Path, environment: Mapping[str, str]) -> Path:
    """Installs a source tree with pip into an empty directory, which it returns; without dependencies."""
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--target", str(target)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, str(source)],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return target


def bare_venv(place: Path, environment: Mapping[str, str], *, with_pip: bool = False) -> Path:
    """The Python of a new environment with our dependencies but neither this checkout nor any plugin.

    It sees the packages of the environment that runs the tests, except what an editable install
    put on its path: a ``.pth`` file inside a directory that is itself named by a ``.pth`` is not read.
    """
    venv.create(place, with_pip=with_pip, symlinks=True)
    python = place / "bin/python"
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout.strip()
    ours = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    Path(site, "shared.pth").write_text("".join(f"{path}\n" for path in ours), encoding="utf-8")
    return python


def copy_compiled(repository: Path, source: Path) -> None:
    """Gives a source tree the compiled modules of the checkout, so that they are not compiled again."""
    shutil.copyfile(repository / "insight_core/.compiled", source / "insight_core/.compiled")
    for folder in ("insight_core", "insight_log_tables", "plugins"):
        for module in (repository / folder).rglob("_*.pyx"):
            for made in module.parent.glob(f"{module.stem}.*.so"):
                shutil.copyfile(made, source / made.relative_to(repository))
