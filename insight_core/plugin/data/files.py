"""Where the files of logs and the payloads in them are, of providers that read files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.claims import Claim


@frozen
class RunFile:
    """A file that the host reads as part of a run. Symbolic links in its paths are not resolved."""

    run: str
    path: str
    directory: str  # of the run; the file is in it or below it
    logdir: str  # the directory is it or below it
    location: str = ""  # of the logdir in a remote store, of which these are copies that come and go
    is_store: bool = False  # of another tracker, with runs of other names than ``run``, its directory's


@frozen(eq=False)
class PayloadPlaces:
    """Where the payloads of a series are, in the order of ``DataProvider.records`` with all attempts.

    ``parts`` int64[n] gives the index of each payload in ``files`` and ``claims``. ``records`` int64[n] is
    the offset of the framed record that holds the payload, -1 for a payload that is a whole file; ``starts``
    int64[n] is the offset of its first byte. Sizes are those of ``DataProvider.records``. Files that are
    ``passing`` end with the provider: their payloads have to be copied to be kept.
    """

    files: Sequence[str]  # paths on this machine, or locations (s3://bucket/prefix/file)
    claims: Sequence[Claim]
    parts: NDArray[np.int64]
    records: NDArray[np.int64]
    starts: NDArray[np.int64]
    passing: bool = False
