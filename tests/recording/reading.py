"""What is read back of files that SummaryRecord wrote."""

from __future__ import annotations

from pathlib import Path

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_record.formats.framing import whole_records
from tests.support.points import scalar_points


def points(
    logdir: Path, tag: str = "loss", run: str = ".", *, may_be_cut: bool = False
) -> list[tuple[int, float]]:
    """(step, value) of every scalar, in the order of the files; nothing may be damaged.

    With ``may_be_cut`` a file may end within a record.
    """
    provider = LocalProvider([Logdir(str(logdir))], [], reload_interval=0)
    try:
        provider.load()
        damage = provider.damage()
        if may_be_cut:
            sizes = {path.name: path.stat().st_size for path in logdir.iterdir()}
            damage = [one for one in damage if one.offset + one.skipped != sizes[one.file]]
        assert damage == [], damage
        claims = [claim for claim in provider.plugins() if claim.endswith("_value")]
        return scalar_points(provider, run, tag, plugin=claims[0]) if claims else []
    finally:
        provider.close()


def are_whole(logdir: Path) -> bool:
    """Whether every file ends with a whole record."""
    files = [path for path in logdir.rglob("*") if path.is_file()]
    return all(whole_records(path.read_bytes()) == path.stat().st_size for path in files)
