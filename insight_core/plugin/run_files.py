"""Where the files of logs are, of providers that read files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from attrs import frozen


@frozen
class RunFile:
    """A file that the host reads as part of a run. Symbolic links in its paths are not resolved."""

    run: str
    path: str
    directory: str  # of the run; the file is in it or below it
    logdir: str  # the directory is it or below it
    location: str = ""  # of the logdir in a remote store, of which these are copies that come and go
    is_store: bool = False  # of another tracker, with runs of other names than ``run``, its directory's


@runtime_checkable
class RunFiles(Protocol):
    """What a ``DataProvider`` also has if it reads the files of the logs itself."""

    def run_files(self) -> Sequence[RunFile]:
        """Every file of every run, by a new walk over the logdirs: not for each request of a page.

        A file of several runs, as in logdirs that overlap, is there for each of them.
        """
        ...
