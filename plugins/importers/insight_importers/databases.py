"""Translates SQLite databases of trackers, also while they are written."""

from __future__ import annotations

import shutil
from pathlib import Path

from insight_core.plugin import Flaw, Reason, ReasonKind, Translation, databases
from insight_importers import mlflow_database, optuna_database, swanlab_database, trackio_database
from insight_importers.sqlite_files import opened, watched
from insight_importers.translated_runs import TranslatedRuns

_READERS = (trackio_database, mlflow_database, optuna_database, swanlab_database)
_AIMS = {"run", "experiment", "run_tag", "alembic_version"}  # tables of Aim
_AIM = ReasonKind(
    "importers_aim",
    "the runs of this Aim repository are in RocksDB, which only Aim opens: export them with "
    "python {script} {repository} --to DIRECTORY, where Aim is installed",
)
_TRIES = 3  # to read a database that is written meanwhile: in its place, then a copy


def translate(source: str, target: Path) -> Translation:
    """Reads some thousand rows more; a database of another program has no runs."""
    made = TranslatedRuns(target)
    scratch = target / "scratch"
    files = watched(source)
    try:
        for attempt in range(_TRIES):
            try:
                with opened(source, scratch, copies=attempt > 0) as database:  # a copy takes less time
                    reader = next((one for one in _READERS if one.is_its(database)), None)
                    read = None if reader is None else reader.read(database, made.state)
            except databases.Changing:
                continue
            break
        else:  # called again when the files have changed, or rest
            return made.finish(is_done=True, watched=files)
    except ValueError as error:
        return made.finish(watched=files, flaws=[("", Flaw(0, Reason.of(error)))])
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if reader is None or read is None:
        flaws = [("", Flaw(0, _aim(source)))] if database.tables >= _AIMS else []
        return made.finish(watched=files, flaws=flaws)
    if read.is_other:
        made.start_anew()
        return made.finish(is_done=False, watched=files)
    reader.write(read, made, Path(source))
    flaws = [*(("", flaw) for flaw in database.flaws), *read.flaws]
    return made.finish(is_done=read.is_last, watched=(*files, *read.watched), flaws=flaws)


def _aim(source: str) -> Reason:
    """Why the runs next to Aim's database are not shown, and how they can be."""
    script = Path(__file__).with_name("aim_export.py")
    return _AIM(script=str(script), repository=str(Path(source).absolute().parent))
