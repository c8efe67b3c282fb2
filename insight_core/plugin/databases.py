"""SQLite databases that other programs write, without a promise to others."""

from insight_core.databases import MARK as MARK
from insight_core.databases import SIDE_FILES as SIDE_FILES
from insight_core.databases import Changing as Changing
from insight_core.databases import CopyTooLarge as CopyTooLarge
from insight_core.databases import copy as copy
from insight_core.databases import opened as opened
from insight_core.databases import side_file as side_file
from insight_core.databases import tables_of as tables_of
