"""Installs what ``make dist`` built as a stranger would, and tries it.

``python -m tests.packaging.released dist``: dependencies come from PyPI, once the newest and once the oldest
that the wheels allow; programs of the new environments see neither Node nor a compiler, and no checkout.
Prints what takes the room on the disk, and ends with an error if anything does not work.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
import venv
import zipfile
from collections import Counter
from collections.abc import Iterable
from email.parser import Parser
from pathlib import Path

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
    wheels = sorted(parser.parse_args(arguments).dist.resolve().glob("*.whl"))
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        host, record, oldest = root / "host", root / "record", root / "oldest"
        bounds = root / "bounds.txt"
        bounds.write_text("\n".join(_lowest(wheels)), encoding="utf-8")
        recorders = [one for one in wheels if "record" in one.name]
        for environment, wanted in ((host, wheels), (record, recorders), (oldest, ["-c", bounds, *wheels])):
            venv.create(environment, with_pip=False)
            command = [sys.executable, "-m", "pip", "--python", str(environment / "bin/python")]
            options = ["-q", "--disable-pip-version-check", "--no-compile", "--only-binary", ":all:"]
            subprocess.run([*command, "install", *options, *map(str, wanted)], check=True)
        for environment in (record, host):
            _show_sizes(environment)
        _run(record, ["python", "-c", _TRAINING], root)
        print(_run(host, ["insight-host", "--version"], root).strip())
        for environment in (host, oldest):
            _try_commands(environment, root)
            _try_page(environment, root)
    print("the wheels work, with the newest and with the oldest dependencies")


def _lowest(wheels: Iterable[Path]) -> list[str]:
    """Constraints to the lowest versions of what the wheels need without extras."""
    found = []
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as opened:
            [name] = [name for name in opened.namelist() if name.endswith(".dist-info/METADATA")]
            needed = Parser().parsestr(opened.read(name).decode()).get_all("Requires-Dist", [])
        found += [
            f"{match[1]}=={match[2]}"
            for text in needed
            if "extra ==" not in text and (match := re.match(r"([\w.-]+)[^;]*>=([\w.]+)", text))
        ]
    return [one for one in found if not one.startswith("insight-")]


def _show_sizes(environment: Path) -> None:
    [site] = environment.glob("lib/python*/site-packages")
    sizes: Counter[str] = Counter()
    for file in site.rglob("*"):
        if file.is_file() and file.suffix != ".pyc":
            name = file.relative_to(site).parts[0].partition(".")[0]
            sizes["insight" if name.startswith("insight") else name] += file.stat().st_size
    distributions = len(list(site.glob("*.dist-info")))
    print(f"{environment.name}: {sizes.total() / 1e6:.1f} MB in {distributions} distributions")
    for name, size in sizes.most_common(_MOST_SHOWN):
        print(f"  {size / 1e6:6.1f} MB  {name}")


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
