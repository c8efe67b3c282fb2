"""Whether a file begins like a metric log. Other files of the same names are left alone."""

from __future__ import annotations

import csv
import json

BOM = b"\xef\xbb\xbf"


def of_csv(beginning: bytes) -> bool:
    """A header with a column ``step`` and at least one other, or the beginning of a longer header."""
    header = _header(beginning, ",")
    is_cut = b"\n" not in beginning  # Lightning sorts the names: the step comes behind norms of gradients
    return ("step" in header or is_cut) and len(header) > 1


def of_dvclive(beginning: bytes) -> bool:
    """``step`` and the metric, after ``timestamp`` where that is recorded; or ``step`` alone."""
    header = _header(beginning, "\t")
    if header[-1:] != ["step"]:
        del header[-1:]
    return header[-1:] == ["step"] and header[:-1] in ([], ["timestamp"])


def of_trainer_state(beginning: bytes) -> bool:
    """An object with a key that only Trainer's state has; ``log_history`` itself may come later."""
    text = beginning.removeprefix(BOM).lstrip()
    keys = (b'"log_history"', b'"best_metric"', b'"best_model_checkpoint"', b'"is_world_process_zero"')
    return text.startswith(b"{") and any(key in text for key in keys)


def of_json_lines(beginning: bytes) -> bool:
    """The first line that is not empty is an object, or the beginning of a long one."""
    line, end, _ = beginning.removeprefix(BOM).lstrip().partition(b"\n")
    if not line.startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return not end and line[1:].lstrip().startswith(b'"')


def _header(beginning: bytes, delimiter: str) -> list[str]:
    line, end, _ = beginning.removeprefix(BOM).partition(b"\n")
    if not end and len(beginning) < 4096:
        return []  # not yet written to its end
    try:
        text = line.decode("utf-8").rstrip("\r")
        return [name.strip() for name in next(csv.reader([text], delimiter=delimiter), [])]
    except (UnicodeDecodeError, csv.Error):
        return []
