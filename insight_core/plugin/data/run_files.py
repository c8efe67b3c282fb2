"""Where the files of logs are, of providers that read files."""

from __future__ import annotations

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
