"""Memory of a host that is asked everything about damaged logs: ``python -m benchmarks.hostile_routes``.

Every route of docs/http_api.md is asked with parameters that fit, are extreme or make no sense. The logs are
those of ``damaged_logdir`` and copies of the examples with changed bytes. Prints statuses, and resident
memory before, after, and at its peak.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote, urlencode

from benchmarks.machine import describe_machine
from benchmarks.processes import Program, free_port, peak_memory, started
from tests.support.damaged_logdir import damaged_logdir

_ROOT = Path(__file__).parent.parent
_PATIENCE = 120.0  # seconds
_CLIENTS = 8
_ODD = (
    *("", "0", "-1", "1", "9007199254740993", "1e308", "nan", "true", "a" * 5000, "\0", "\u202e"),
    *("0,1,2", "[]", "{}", "(a+)+$", "all", "last", "json", "csv", "safetensors", "*", "=loss*2", "10000"),
    "../../etc",
)
_EDGES = (b"\0", b"\xff", b"\x80" * 8, b"\xff\xff\xff\xff\xff\xff\xff\x7f", b"{", b"1e999", b"")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile_routes", description=__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--copies", type=int, default=8, help="damaged copies of the examples")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory:
        print(describe_machine(Path(directory)))
        logdir = Path(directory) / "logs"
        damaged_logdir(logdir)
        for number in range(options.copies):
            _damaged_copy(_ROOT / "examples/logs", logdir / f"copy{number}", chance)
        _ask(logdir, options.requests, chance)
    return 0


def _damaged_copy(source: Path, target: Path, chance: random.Random) -> None:
    """Files with some bytes replaced, removed or cut off."""
    for file in filter(Path.is_file, sorted(source.rglob("*"))):
        copy = target / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        data = bytearray(copy.read_bytes())
        for _ in range(chance.randint(1, 5)):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.randint(0, 8)] = chance.choice(_EDGES)
        copy.write_bytes(data[: chance.choice([len(data), len(data), len(data) // 2])])


def _ask(logdir: Path, count: int, chance: random.Random) -> None:
    port = free_port()
    command = [sys.executable, "-m", "insight_core.cli", "--logdir", str(logdir), "--port", str(port)]
    flags = ["--no-cache", "--state-dir", str(logdir.parent / "state")]
    with started([*command, *flags], port=port) as program:
        program.wait(lambda: _is_loaded(port), pause=0.2, patience=_PATIENCE)
        catalogue = _catalogue(port)
        routes, names = _routes()
        paths = [_path(routes, names, catalogue, chance) for _ in range(count)]
        print(f"{len(routes)} routes, {len(names)} parameters, {len(catalogue)} series and runs")
        before = _resident(program)
        with ThreadPoolExecutor(_CLIENTS) as pool:
            statuses = Counter(pool.map(lambda path: _status(port, path), paths))
        after, peak = _resident(program), peak_memory(program.process.pid)
        print(f"{count} requests: {dict(sorted(statuses.items()))}")
        print(f"resident: {before:.0f} MB before, {after:.0f} MB after, {peak:.0f} MB at the peak")


def _routes() -> tuple[list[str], list[str]]:
    """Paths of GET, and names of parameters, of the reference."""
    text = (_ROOT / "docs/http_api.md").read_text(encoding="utf-8")
    paths = sorted(set(re.findall(r"GET (/[\w/<>.-]*)", text)) - {"/data/events"})
    return paths, sorted(set(re.findall(r"[`?&](\w+)=", text)))


def _catalogue(port: int) -> list[tuple[str, str, str]]:
    """Plugin, run and tag of every series; claimed files are series too."""
    found = []
    listing = _json(port, "/data/plugins_listing")
    for plugin in listing:
        try:
            tags = _json(port, f"/data/plugin/{plugin}/tags")
        except ValueError:
            continue
        found += [(plugin, run, tag) for run, each in tags.items() for tag in each]
    return found


def _path(
    routes: Sequence[str],
    names: Sequence[str],
    catalogue: Sequence[tuple[str, str, str]],
    chance: random.Random,
) -> str:
    plugin, run, tag = chance.choice(catalogue)
    path = chance.choice(routes)
    if chance.random() < 0.5:  # those of the plugin that has the series
        path = chance.choice([each for each in routes if f"/plugin/{plugin}/" in each] or routes)
    path = path.replace("<name>", plugin).replace("<owner>", f"plugin/{plugin}")
    query = {"run": run, "tag": tag, "profile": tag, "index": "0", "id": "0", "step": "0", "plugin": plugin}
    for name in chance.sample(names, chance.randint(0, 4)):
        query[name] = chance.choice(_ODD)
    return quote(path, safe="/") + "?" + urlencode(query, errors="surrogatepass")


def _status(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        while answer.read(1 << 20):
            pass
        if answer.status == 500:
            print(f"500: {path[:300]}")
        return answer.status
    finally:
        connection.close()


def _json(port: int, path: str) -> dict[str, dict[str, object]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    connection.request("GET", path)
    found: dict[str, dict[str, object]] = json.loads(connection.getresponse().read())
    connection.close()
    return found if "error" not in found else {}


def _is_loaded(port: int) -> bool:
    try:
        return bool(_json(port, "/data/run_table")["progress"]["loaded_once"])
    except OSError:
        return False


def _resident(program: Program) -> float:
    for line in Path(f"/proc/{program.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


if __name__ == "__main__":
    sys.exit(main())
