"""Our HTTP server and others under the same requests: framing, deadlines, event streams, start, memory.

``make .venv-peers/servers/.installed``, then ``python -m benchmarks.http_servers [SERVER ...]``. Malformed
and sound requests are those of tests/web/framing_corpus.py.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import resource
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median, quantiles

from benchmarks.http_server_peer import SERVERS
from benchmarks.processes import Failed, Program, free_port, peer_environment, started
from tests.web.framing_corpus import LAST, MALFORMED, NEXT, SOUND

_PEERS = Path(".venv-peers/servers/bin/python")
_SCRIPT = Path(__file__).with_name("http_server_peer.py")
_PIECE = 1 << 16  # bytes
_CLOSED = "closed without an answer"
_QUIET = 1.5  # seconds without a byte: the server waits for more
_STREAMS, _RATE, _ASKING, _SECONDS = 64, 200, 4, 10.0
_SLOW, _PATIENCE = 6.0, 70.0  # seconds between two bytes of a head, and in all
_HALF_OPEN, _WATCHED = 1100, 5.0  # connections with half a head, and seconds
_BODY = 400 << 20  # bytes of a chunked PUT
_ANSWER = re.compile(rb"HTTP/1\.1 ([0-9]{3})")
_SEEN = re.compile(rb"seen (\S+) (\S+) ([0-9]+)\n")

Figures = dict[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.http_servers", description=__doc__)
    parser.add_argument("servers", nargs="*", metavar="SERVER", help="all by default")
    chosen = parser.parse_args(arguments).servers or list(SERVERS)
    with ThreadPoolExecutor(len(chosen)) as pool:  # those sleep most of the time
        slow = dict(zip(chosen, pool.map(_slow_head, chosen), strict=True))
    figures: dict[str, Figures] = {}
    for name in chosen:
        print(name, file=sys.stderr)
        found = figures[name] = {}
        with _running(name) as program:
            found["processor time until it listens, s"] = f"{program.processor_time():.2f}"
            found["resident then, MB"] = f"{resident(program):.0f}"
            found |= _framing(program.port)
        with _running(name) as program:
            found |= _streams(program)
        found["a byte each 6 s of a head: closed after, s"] = slow[name]
        with _running(name) as program:
            found |= half_open(program)
        with _running(name) as program:
            found |= endless_body(program)
    print_table(figures)
    return 0


@contextmanager
def _running(name: str) -> Iterator[Program]:
    port = free_port()
    python = sys.executable if name == "ours" else str(_PEERS)
    environment = peer_environment(Path.home()) | {"PYTHONPATH": str(_SCRIPT.parent)}
    if name == "ours":
        environment = dict(os.environ)
    with started([python, str(_SCRIPT), name, str(port)], port=port, environment=environment) as program:
        program.wait(lambda: _answers(port), pause=0.02, patience=20.0)
        yield program


def _answers(port: int) -> bool:
    with suppress(OSError), _connect(port, 5.0) as client:
        client.sendall(LAST)
        return bool(client.recv(100))
    return False


def resident(program: Program) -> float:
    """Megabytes (RssAnon and RssFile) of all its processes."""
    total = 0
    for number in [program.process.pid, *program.children()]:
        with suppress(FileNotFoundError):
            for line in Path(f"/proc/{number}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    total += int(line.split()[1]) * 1024
    return total / 1e6


# --- framing ----------------------------------------------------------------------------------------


def _connect(port: int, seconds: float) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=seconds)


def exchange(port: int, request: bytes) -> tuple[bytes, bool]:
    """What was answered, and whether the server closed the connection."""
    answer = b""
    with _connect(port, _QUIET) as client:
        with suppress(BrokenPipeError, ConnectionResetError):
            client.sendall(request)
        try:
            while received := client.recv(_PIECE):
                answer += received
        except TimeoutError:
            return answer, False
        except ConnectionResetError:
            pass
    return answer, True


def _framing(port: int) -> Figures:
    with ThreadPoolExecutor(16) as pool:
        malformed = dict(
            zip(MALFORMED, pool.map(lambda name: _verdict(port, *MALFORMED[name]), MALFORMED), strict=True)
        )
        sound = dict(zip(SOUND, pool.map(lambda name: _is_sound(port, name), SOUND), strict=True))
    refused = sum(verdict == "refused" for verdict in malformed.values())
    figures = {
        f"refused of {len(MALFORMED)} malformed": str(refused),
        "… or closed without an answer": str(refused + list(malformed.values()).count(_CLOSED)),
        f"right of {len(SOUND)} sound": str(sum(sound.values())),
    }
    for name in sound:
        figures[f"sound: {name}"] = "right" if sound[name] else "wrong"
    return figures | malformed


def _verdict(port: int, status: int, request: bytes) -> str:
    """``refused``: one error and the end, as ours; else the statuses that came, and what the server did."""
    answer, closed = exchange(port, request + NEXT)
    statuses = [int(found) for found in _ANSWER.findall(answer)]
    if b" /smuggled " in b"".join(b" %b " % path for _, path, _ in _SEEN.findall(answer)):
        return f"{statuses[0]}, and the next is answered"
    if len(statuses) == 1 and statuses[0] >= 400 and closed:
        return "refused"
    if not statuses:
        return _CLOSED if closed else "waits"
    return " ".join(map(str, statuses)) + ("" if closed else ", stays open")


def _is_sound(port: int, name: str) -> bool:
    request, (method, path, body) = SOUND[name]
    answer, _ = exchange(port, request + LAST)
    seen = [(b"%b %b" % (found[0], found[1]), int(found[2])) for found in _SEEN.findall(answer)]
    return seen == [(f"{method} {path}".encode(), len(body)), (b"GET /last", 0)]


# --- bounds -----------------------------------------------------------------------------------------


def _slow_head(name: str) -> str:
    with _running(name) as program:
        return slow_head(program.port)


def slow_head(port: int) -> str:
    """Seconds after which a client that sends a byte each six seconds is cut off."""
    with _connect(port, _SLOW) as client:
        began = time.monotonic()
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        while time.monotonic() - began < _PATIENCE:
            try:
                if not client.recv(_PIECE):
                    return f"{time.monotonic() - began:.0f}"
            except TimeoutError:
                with suppress(BrokenPipeError, ConnectionResetError):
                    client.sendall(b"a")
            except ConnectionResetError:
                return f"{time.monotonic() - began:.0f}"
    return f"not within {_PATIENCE:.0f}"


def half_open(program: Program) -> Figures:
    """Beyond the limit of descriptors that a shell has: who spins, and who still answers."""
    pids = [program.process.pid, *program.children()]
    for number in pids:
        resource.prlimit(number, resource.RLIMIT_NOFILE, (1024, 1024))
    with ExitStack() as opened:
        for _ in range(_HALF_OPEN):
            with suppress(OSError):
                client = opened.enter_context(_connect(program.port, 2.0))
                client.sendall(b"GET / HT")
        time.sleep(1)
        before = program.processor_time()
        time.sleep(_WATCHED)
        spent = program.processor_time() - before
        began = time.perf_counter()
        answered = _answers(program.port)
        waited = time.perf_counter() - began
    return {
        f"{_HALF_OPEN} half heads, nofile 1024: % of a core": f"{100 * spent / _WATCHED:.0f}",
        "… another request is answered": f"after {waited:.1f} s" if answered else "no",
    }


def endless_body(program: Program) -> Figures:
    """A chunked PUT without a length."""
    before, sent = resident(program), 0
    chunk = b"%x\r\n" % (1 << 20) + b"x" * (1 << 20) + b"\r\n"
    peak, status = before, b""
    with _connect(program.port, 20.0) as client:
        client.sendall(b"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        with suppress(OSError):
            while sent < _BODY:
                client.sendall(chunk)
                sent += 1 << 20
                peak = max(peak, resident(program))
            client.sendall(b"0\r\n\r\n")
        with suppress(OSError):
            status = client.recv(100)[9:12]
        peak = max(peak, resident(program))
    outcome = f"{status.decode() or 'closed'} after {sent >> 20} MiB, +{peak - before:.0f} MB"
    return {"chunked PUT of 400 MiB": outcome}


def _streams(program: Program) -> Figures:
    """Open event streams while requests come at a steady rate."""
    with ExitStack() as opened:
        for _ in range(_STREAMS):
            client = opened.enter_context(_connect(program.port, 10.0))
            client.sendall(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
        time.sleep(1.5)
        before = program.processor_time()
        times = _ask_steadily(program.port)
        spent = program.processor_time() - before
        memory = resident(program)
    cuts = quantiles(times, n=20)
    return {
        "64 streams, 200 requests/s: p50 / p95, ms": f"{1e3 * median(times):.1f} / {1e3 * cuts[-1]:.1f}",
        "… processor time, % of a core": f"{100 * spent / _SECONDS:.0f}",
        "… resident, MB": f"{memory:.0f}",
    }


def _ask_steadily(port: int) -> list[float]:
    times: list[float] = []
    failures: list[Exception] = []

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            due = time.perf_counter()
            end = due + _SECONDS
            while due < end:
                time.sleep(max(0.0, due - time.perf_counter()))
                began = time.perf_counter()
                connection.request("GET", "/")
                connection.getresponse().read()
                times.append(time.perf_counter() - began)
                due += _ASKING / _RATE
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(_ASKING)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise Failed(f"a request beside the streams failed: {failures[0]}")
    return times


def print_table(figures: Mapping[str, Figures]) -> None:
    """A Markdown table, without rows in which all are alike."""
    rows = list(dict.fromkeys(row for found in figures.values() for row in found))
    print(f"| | {' | '.join(figures)} |\n|{'---|' * (len(figures) + 1)}")
    for row in rows:
        cells = [found.get(row, "") for found in figures.values()]
        if len(figures) == 1 or len(set(cells)) > 1:
            print(f"| {row} | {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
