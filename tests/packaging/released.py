"""Installs what ``make dist`` built as a stranger would, and tries it.

``python -m tests.packaging.released dist``: dependencies come from PyPI, once the newest and once the oldest
that the wheels allow, and the newest for every other version of Python that is here; programs of the new
environments see neither Node nor a compiler, and no checkout. Prints what takes the room on the disk and the
digests, and ends with an error if anything does not work or a default install is larger than it may be.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from email.parser import Parser
from pathlib import Path

from tests.distributions import other_pythons

_LARGEST = 120  # MB of a default install, without compiled bytecode
_MOST_SHOWN = 12  # packages in the table
_TRAINING = """
import insight_record.wandb as wandb
with wandb.init(project="digits", name="first", dir="runs", config={"lr": 0.1}) as run:
    for step in range(100):
        run.log({"loss": 1 / (step + 1)})
"""


def main(arguments: list[str] | None = None) -> None:
    """Tries the wheels of a directory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dist", type=Path, help="the directory of the wheels")
    dist = parser.parse_args(arguments).dist.resolve()
    wheels = sorted(dist.glob("*.whl"))
    [host_wheel] = dist.glob("insight_host*.whl")
    recorders = [one for one in wheels if one != host_wheel]
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        bounds = root / "bounds.txt"
        bounds.write_text("\n".join(_lowest(wheels)), encoding="utf-8")
        record = _installed(root / "record", sys.executable, recorders)
        host = _installed(root / "host", sys.executable, wheels)
        oldest = _installed(
            root / "oldest", sys.executable, ["-c", bounds, *recorders, f"{host_wheel}[grpc]"]
        )
        others = [
            _installed(root / Path(python).parents[1].name, python, wheels) for python in other_pythons(11)
        ]
        _show_sizes(record)
        if (size := _show_sizes(host)) > _LARGEST:
            raise SystemExit(f"a default install takes {size:.1f} MB, more than {_LARGEST}")
        _run(record, ["python", "-c", _TRAINING], root)
        for environment in (host, oldest, *others):
            print(_run(environment, ["insight-host", "--version"], root).strip())
            _try_commands(environment, root)
            _try_page(environment, root)
        _try_data_server(oldest, root, "listening on")
        _try_data_server(host, root, "pip install 'insight-host[grpc]'")
    print("the wheels work, with the newest and with the oldest dependencies")
    for file in sorted(dist.iterdir()):
        print(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}")


def _installed(environment: Path, python: str, wanted: Sequence[str | Path]) -> Path:
    """A new environment of ``python`` with what pip is asked for."""
    subprocess.run([python, "-m", "venv", "--without-pip", environment], check=True)
    command = [sys.executable, "-m", "pip", "--python", str(environment / "bin/python")]
    options = ["-q", "--disable-pip-version-check", "--no-compile", "--only-binary", ":all:"]
    subprocess.run([*command, "install", *options, *map(str, wanted)], check=True)
    return environment


def _lowest(wheels: Iterable[Path]) -> list[str]:
    """Constraints to the lowest versions of what the wheels need, with the extra ``grpc`` alone."""
    found = []
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as opened:
            [name] = [name for name in opened.namelist() if name.endswith(".dist-info/METADATA")]
            needed = Parser().parsestr(opened.read(name).decode()).get_all("Requires-Dist", [])
        for text in needed:
            match = re.match(r"([\w.-]+)[^;]*>=([\w.]+)", text)
            if match and ("extra ==" not in text or "'grpc'" in text):
                found.append(f"{match[1]}=={match[2]}")
    return [one for one in found if not one.startswith("insight-")]


def _show_sizes(environment: Path) -> float:
    """Prints what takes the room; returns the MB of all, without compiled bytecode."""
    [site] = environment.glob("lib/python*/site-packages")
    _run(environment, ["python", "-m", "compileall", "-q", str(site)], environment)
    sizes: Counter[str] = Counter()
    bytecode = 0
    for file in site.rglob("*"):
        if file.suffix == ".pyc":
            bytecode += file.stat().st_size
        elif file.is_file():
            name = file.relative_to(site).parts[0].partition(".")[0]
            sizes["insight" if name.startswith("insight") else name] += file.stat().st_size
    distributions = len(list(site.glob("*.dist-info")))
    total = sizes.total() / 1e6
    print(f"{environment.name}: {total:.1f} MB in {distributions} distributions")
    print(f"  {bytecode / 1e6:6.1f} MB  of bytecode in addition, which pip compiles")
    for name, size in sizes.most_common(_MOST_SHOWN):
        print(f"  {size / 1e6:6.1f} MB  {name}")
    return total


def _try_commands(environment: Path, root: Path) -> None:
    """What was recorded is found, and every plugin loads."""
    [run] = json.loads(_run(environment, ["insight-host", "runs", "runs", "--json"], root))
    if (run["run"], run["status"]) != ("digits/first", "finished"):
        raise SystemExit(f"the run is {run}")
    plugins = _run(environment, ["insight-host", "plugins"], root)
    if "failed" in plugins:
        raise SystemExit(plugins)


def _try_page(environment: Path, root: Path) -> None:
    """The host of the demo serves its page, the code of a tab and the runs."""
    command = ["insight-host", "demo", "--port", "0", "--no-token", "--cache-dir", str(root / "cache")]
    with subprocess.Popen(
        [str(environment / "bin" / command[0]), *command[1:]],
        stdout=subprocess.PIPE,
        text=True,
        env=_bare(environment),
        cwd=root,
    ) as host:
        try:
            assert host.stdout is not None
            for line in host.stdout:
                if found := re.search(r"http://[\w.:]+/", line):
                    break
            else:
                raise SystemExit("the host printed no address")
            page = _answer(found[0])
            for part in (*re.findall(r'(?:src|href)="(?!data:)([^"]+\.(?:js|css))"', page), "data/runs"):
                _answer(f"{found[0]}{part.removeprefix('/')}")
        finally:
            host.terminate()


def _try_data_server(environment: Path, root: Path, expected: str) -> None:
    """The data server listens, or says what it lacks."""
    command = [str(environment / "bin/insight-data-server"), "--logdir", "runs", "--port", "0"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=_bare(environment), cwd=root
    ) as server:
        assert server.stderr is not None
        first = server.stderr.readline()
        server.terminate()
    if expected not in first:
        raise SystemExit(f"insight-data-server: {first}")


def _answer(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return str(answer.read().decode())


def _run(environment: Path, command: list[str], place: Path) -> str:
    program = [str(environment / "bin" / command[0]), *command[1:]]
    done = subprocess.run(program, capture_output=True, text=True, env=_bare(environment), cwd=place)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def _bare(environment: Path) -> dict[str, str]:
    """Variables of programs that find nothing but this environment."""
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "TMPDIR")}
    return {**kept, "PATH": str(environment / "bin"), "WANDB_SILENT": "true"}


if __name__ == "__main__":
    main()
