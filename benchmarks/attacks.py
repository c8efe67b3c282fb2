"""The same attacks on whole hosts, ours and its peers: ``python -m benchmarks.attacks``.

Peers are those for which INSIGHT_PEER_TENSORBOARD, INSIGHT_PEER_JUPYTER and INSIGHT_PEER_MLFLOW name a Python
that has them. The framing corpus is that of tests/web/framing_corpus.py. A request counts as refused if its
status says that it is malformed, and as reaching the application with any other status.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from benchmarks.http_servers import (
    Figures,
    endless_body,
    exchange,
    half_open,
    print_table,
    resident,
    slow_head,
)
from benchmarks.machine import describe_machine
from benchmarks.processes import Program, free_port, peer_environment, started
from insight_core.plugin.testing import EventWriter
from tests.web.framing_corpus import MALFORMED, NEXT, get

_PATIENCE = 240.0  # seconds
_REFUSALS = {400, 408, 411, 413, 414, 417, 431, 501, 505}
_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3})")
_NAMED = (
    "content length twice, last is zero",
    "content length and chunks",
    "space before the colon of a length",
    "line without a colon",
    "folded line",
    "NUL in a value",
    "bare line feeds",
    "no host",
    "two hosts",
)
_GUARDS = (
    "X-Content-Type-Options",
    "Content-Security-Policy",
    "X-Frame-Options",
    "Cross-Origin-Resource-Policy",
)
_FLAGS = {
    "ours": "-m insight_core.cli --port {port} --logdir {place}/logs --cache-dir {place} --state-dir {place}",
    "tensorboard": "-m tensorboard.main --host 127.0.0.1 --port {port} --logdir {place}/logs",
    "jupyter": "-m jupyter_server --allow-root --no-browser --ip 127.0.0.1 --port {port} "
    "--ServerApp.root_dir={place}",
    "mlflow": "-m mlflow server --host 127.0.0.1 --port {port} --workers 1 "
    "--backend-store-uri sqlite:///{place}/mlflow.db --default-artifact-root {place}",
}


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory:
        place = Path(directory)
        print(describe_machine(place))
        with EventWriter(place / "logs/run") as writer:
            writer.scalar("loss", 0, 1.0)
        pythons = {"ours": sys.executable}
        for name in _FLAGS:
            if python := os.environ.get(f"INSIGHT_PEER_{name.upper()}"):
                pythons[name] = python
        with ThreadPoolExecutor(len(pythons)) as pool:  # slow heads sleep
            attacked = pool.map(lambda name: _attack(name, pythons[name], place), pythons)
            figures = dict(zip(pythons, attacked, strict=True))
    print_table(figures)
    return 0


def _attack(name: str, python: str, place: Path) -> Figures:
    with _running(name, python, place) as program:
        found = {"resident at start, MB": f"{resident(program):.0f}"}
        found |= _asked(program.port)
        found |= _framing(program.port)
        found |= endless_body(program)
        found["a byte each 6 s of a head: closed after, s"] = slow_head(program.port)
    with _running(name, python, place) as program:
        return found | half_open(program)


@contextmanager
def _running(name: str, python: str, place: Path) -> Iterator[Program]:
    port = free_port()
    flags = _FLAGS[name].format(port=port, place=place).split()
    environment = dict(os.environ) if name == "ours" else peer_environment(place)
    with started([python, *flags], port=port, environment=environment) as program:
        program.wait(lambda: _is_there(port), pause=0.2, patience=_PATIENCE)
        time.sleep(2)  # for what starts after it listens
        yield program


def _is_there(port: int) -> bool:
    try:
        return bool(_statuses(port, get(b"Host: localhost", b"Connection: close")))
    except OSError:
        return False


def _statuses(port: int, request: bytes) -> list[int]:
    return [int(found) for found in _STATUS.findall(exchange(port, request)[0])]


def _asked(port: int) -> Figures:
    """Sound requests that a host on a laptop should not answer, and what guards its answers."""
    plain, _ = exchange(port, get(b"Host: localhost", b"Connection: close"))
    head = plain.partition(b"\r\n\r\n")[0].lower()
    evil = _statuses(port, get(b"Host: evil.example", b"Connection: close"))
    return {
        "GET / without a token": _STATUS.findall(plain)[0].decode(),
        "GET / with Host: evil.example": str(evil[0]) if evil else "closed",
        "headers that guard the page": ", ".join(
            guard for guard in _GUARDS if f"\n{guard.lower()}:".encode() in head
        )
        or "none",
    }


def _framing(port: int) -> Figures:
    found = {}
    for name, (_, request) in MALFORMED.items():
        answer, closed = exchange(port, request + NEXT)
        statuses = [int(status) for status in _STATUS.findall(answer)]
        is_kept_out = statuses[0] in _REFUSALS and len(statuses) == 1 if statuses else closed
        found[name] = "refused" if is_kept_out else " ".join(map(str, statuses)) or "waits"
    kept_out = list(found.values()).count("refused")
    return {f"refused of {len(found)} malformed": str(kept_out)} | {name: found[name] for name in _NAMED}


if __name__ == "__main__":
    sys.exit(main())
