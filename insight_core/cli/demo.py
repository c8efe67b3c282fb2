"""``insight-host demo``: trains a small network some times, serves what that recorded, and cleans up."""

from __future__ import annotations

import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attrs import evolve

from insight_core.cli.options import Options
from insight_core.cli.serve import serve
from insight_core.cli.shutdown import Ending
from insight_core.cli.table import printable
from insight_core.cli.terminal import StatusLine, open_terminal
from insight_core.plugin import InvalidArgument

_PATIENCE = 1.0  # seconds that a training has to end


def demo(options: Options) -> int:
    """Logs are in a directory of their own, removed at the end, unless ``--keep`` names one."""
    line = open_terminal(options.verbosity)
    with Ending() as ending:
        temporary = TemporaryDirectory(prefix="insight-host-demo-", ignore_cleanup_errors=True)
        trainings = _Trainings()

        def end() -> None:
            trainings.end()
            temporary.cleanup()

        try:
            root = Path(temporary.name, "runs") if options.keep is None else _kept(options)
            trainings.start(root, line, ending)
            if number := ending.wait():
                return 128 + number
            trainings.check()
            if options.live:
                trainings.go_on(root)
            changes: dict[str, Any] = {"logdir": [str(root)]}
            if options.keep is None:  # of runs that are gone tomorrow nothing stays, neither index nor notes
                changes |= {name: str(Path(temporary.name, name)) for name in ("cache_dir", "state_dir")}
            return serve(evolve(options, **changes), at_end=end, ending=ending)
        finally:
            end()


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


class _Trainings:
    """In threads: the main one waits for signals, which end a training between two steps."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []
        self._failure: Exception | None = None

    def start(self, root: Path, line: StatusLine, ending: Ending) -> None:
        """Trains all; ``ending`` is asked when that is over."""

        def run() -> None:
            try:
                self._train(root, line)
            except Exception as error:
                self._failure = error
            finally:
                ending.ask()

        self._start(threading.Thread(target=run, name="training", daemon=True))

    def check(self) -> None:
        """Raises what ended the trainings before they were done."""
        if self._failure is not None:
            raise self._failure

    def go_on(self, root: Path) -> None:
        from insight_core.cli.demo_training import train_on

        self._start(
            threading.Thread(target=train_on, args=(root, self._ended), name="live training", daemon=True)
        )

    def end(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(_PATIENCE)

    def _start(self, thread: threading.Thread) -> None:
        self._threads.append(thread)
        thread.start()

    def _train(self, root: Path, line: StatusLine) -> None:
        from insight_core.cli.demo_training import TRIALS, train

        for number, trial in enumerate(TRIALS, 1):
            line.show(f"Training {number} of {len(TRIALS)}: {trial.name}")
            train(root, trial, self._ended)
        line.show("")
        line.print(f"Trained {len(TRIALS)} small networks; the logs are in {printable(str(root))}")
