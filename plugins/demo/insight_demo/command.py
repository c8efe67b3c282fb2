"""``insight-host demo``: serves a copy of recorded logs and a run that is training, and removes them."""

from __future__ import annotations

import argparse
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from insight_core.plugin import CommandHost, InsightError, InvalidArgument
from insight_demo.training import train_on

_LOGS = Path(__file__).parent / "logs"
_PATIENCE = 1.0  # seconds that a training has to end


def demo(host: CommandHost, arguments: Sequence[str], help_text: str) -> int:
    """Serves logs in a temporary directory, removed at the end, unless ``--keep`` names one."""
    given, flags = _parser(help_text).parse_known_args(arguments)
    temporary = TemporaryDirectory(prefix="insight-host-demo-", ignore_cleanup_errors=True)
    root = Path(temporary.name, "demo") if given.keep is None else Path(given.keep).expanduser().absolute()
    beginning, ended = threading.Lock(), threading.Event()
    live = threading.Thread(target=train_on, args=(root, ended), name="live training", daemon=True)

    def begin() -> None:
        with beginning:
            if not ended.is_set():
                _copy(root)
                live.start()

    def end() -> None:
        ended.set()
        with beginning:
            if live.is_alive():
                live.join(_PATIENCE)
            temporary.cleanup()

    try:
        if given.keep is None:  # the runs are gone tomorrow: neither their index nor notes on them are kept
            flags += [f"--{name}={Path(temporary.name, name)}" for name in ("cache-dir", "state-dir")]
        else:
            _make_empty(root)
        return host.serve([f"--logdir={root}", *flags], prepare=begin, at_end=end)
    finally:
        end()


def _copy(root: Path) -> None:
    """Copies the recorded logs: the live run is written next to them. Raises InsightError if it cannot."""
    try:
        shutil.copytree(_LOGS, root, dirs_exist_ok=True)
    except OSError as error:
        raise InsightError(f"the logs of the demo cannot be written: {error}") from error


def _parser(help_text: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="insight-host demo",
        description=help_text.capitalize() + ".",
        epilog="Flags of insight-host are accepted too: --port, --host, --open and so on.",
        allow_abbrev=False,
    )
    parser.add_argument("--live", action="store_true", help=argparse.SUPPRESS)  # what is always so now
    parser.add_argument(
        "--keep",
        metavar="DIR",
        help="write the logs here, into a new or empty directory, and leave them (default: a temporary one, "
        "removed at the end)",
    )
    return parser


def _make_empty(path: Path) -> None:
    """Makes the directory to copy into. Raises InvalidArgument if it is not empty."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise InvalidArgument(f"--keep: {path} is not empty")
    except OSError as error:
        raise InvalidArgument(f"--keep: {error}") from error
