"""``insight-host demo``: trains a small network several times, serves the logs, and removes them."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from insight_core.plugin import CommandHost, InvalidArgument
from insight_demo.training import TRIALS, train, train_on

_PATIENCE = 1.0  # seconds that a training has to end


def demo(host: CommandHost, arguments: Sequence[str], help_text: str) -> int:
    """Serves logs in a temporary directory, removed at the end, unless ``--keep`` names one."""
    given, flags = _parser(help_text).parse_known_args(arguments)
    temporary = TemporaryDirectory(prefix="insight-host-demo-", ignore_cleanup_errors=True)
    root = Path(temporary.name, "runs") if given.keep is None else Path(given.keep).expanduser().absolute()
    training = _Training(host, root, live=given.live)

    def end() -> None:
        training.end()
        temporary.cleanup()

    try:
        if given.keep is None:  # the runs are gone tomorrow: neither their index nor notes on them are kept
            flags += [f"--{name}={Path(temporary.name, name)}" for name in ("cache-dir", "state-dir")]
        else:
            _make_empty(root)
        return host.serve([f"--logdir={root}", *flags], prepare=training.run, at_end=end)
    finally:
        end()


def _parser(help_text: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="insight-host demo",
        description=help_text.capitalize() + ".",
        epilog="Flags of insight-host are accepted too: --port, --host, --open and so on.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--live", action="store_true", help="go on training while it is served, so that the page grows"
    )
    parser.add_argument(
        "--keep",
        metavar="DIR",
        help="write the logs here, into a new or empty directory, and leave them (default: a temporary one, "
        "removed at the end)",
    )
    return parser


def _make_empty(path: Path) -> None:
    """Makes the directory to train into. Raises InvalidArgument if it is not empty."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise InvalidArgument(f"--keep: {path} is not empty")
    except OSError as error:
        raise InvalidArgument(f"--keep: {error}") from error


class _Training:
    """Trains in threads, which end between two steps."""

    def __init__(self, host: CommandHost, root: Path, *, live: bool) -> None:
        self._host, self._root, self._live = host, root, live
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []

    def run(self) -> None:
        """Trains all networks, and begins to train on with ``live``."""
        self._threads.append(threading.current_thread())
        for number, trial in enumerate(TRIALS, 1):
            self._host.status(f"Training {number} of {len(TRIALS)}: {trial.name}")
            train(self._root, trial, self._ended)
        self._host.status("")
        self._host.print(f"Trained {len(TRIALS)} small networks; the logs are in {self._root}")
        if self._live and not self._ended.is_set():
            more = threading.Thread(
                target=train_on, args=(self._root, self._ended), name="live training", daemon=True
            )
            self._threads.append(more)
            more.start()

    def end(self) -> None:
        """Waits until the training threads have ended."""
        self._ended.set()
        for thread in self._threads:
            thread.join(_PATIENCE)
