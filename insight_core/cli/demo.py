"""``insight-host demo``: trains a small network some times, serves what that recorded, and cleans up."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NoReturn

from attrs import evolve

from insight_core.api import InvalidArgument
from insight_core.cli.ending import ending_signals
from insight_core.cli.options import Options
from insight_core.cli.serve import serve
from insight_core.cli.table import printable
from insight_core.cli.terminal import StatusLine, open_terminal

_PATIENCE = 1.0  # seconds that the training has to end


def demo(options: Options) -> int:
    """Logs are in a directory of their own, removed at the end, unless ``--keep`` names one."""
    line = open_terminal(options.verbosity)
    for number in ending_signals():  # until the host waits for them itself
        if number != signal.SIGINT:
            signal.signal(number, _terminated)
    temporary = TemporaryDirectory(prefix="insight-host-demo-", ignore_cleanup_errors=True)
    ended = threading.Event()
    threads: list[threading.Thread] = []

    def end() -> None:
        ended.set()
        for thread in threads:
            thread.join(_PATIENCE)
        temporary.cleanup()

    try:
        root = Path(temporary.name, "runs") if options.keep is None else _kept(options)
        _train(root, line)
        if options.live:
            threads.append(_live(root, ended))
        changes: dict[str, Any] = {"logdir": [str(root)]}
        if options.keep is None:  # of runs that are gone tomorrow nothing stays, neither index nor notes
            changes |= {name: str(Path(temporary.name, name)) for name in ("cache_dir", "state_dir")}
        return serve(evolve(options, **changes), at_end=end)
    finally:
        end()


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)


def _kept(options: Options) -> Path:
    """The directory to train into. Raises InvalidArgument for one that there is something in."""
    path = Path(options.keep or "").expanduser().absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise InvalidArgument(f"{options.origin('keep')}: {printable(str(path))} is not empty")
    except OSError as error:
        raise InvalidArgument(f"{options.origin('keep')}: {printable(str(error))}") from error
    return path


def _train(root: Path, line: StatusLine) -> None:
    from insight_core.cli.demo_training import TRIALS, train

    for number, trial in enumerate(TRIALS, 1):
        line.show(f"Training {number} of {len(TRIALS)}: {trial.name}")
        train(root, trial)
    line.show("")
    line.print(f"Trained {len(TRIALS)} small networks; the logs are in {printable(str(root))}")


def _live(root: Path, ended: threading.Event) -> threading.Thread:
    from insight_core.cli.demo_training import train_on

    thread = threading.Thread(target=train_on, args=(root, ended), name="training", daemon=True)
    thread.start()
    return thread
