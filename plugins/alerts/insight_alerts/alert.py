"""An alert, its texts, and the journal of alerts that a state directory keeps."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attrs import asdict, fields_dict, frozen

log = logging.getLogger("insight.plugin.alerts")
_LONGEST = 300  # characters of a name in a message


@frozen
class Alert:
    """One alert. ``at`` and ``found`` are seconds since the epoch.

    ``subject`` distinguishes alerts of one rule, run and tag: the number of the attempt, or the time of
    the last record.
    Alerts about runs have the tag "" and no step; ``status`` says how the run ended, or what a rule found.
    """

    rule: str
    key: str  # of the rule
    kind: str
    run: str
    tag: str
    subject: str
    step: int | None
    value: float | None
    at: float
    found: float
    status: str = ""

    @property
    def id(self) -> str:
        """The same for the same alert, whichever host finds it and whenever."""
        parts = json.dumps([self.key, self.run, self.tag, self.subject])
        return hashlib.blake2b(parts.encode(), digest_size=10).hexdigest()

    def text(self) -> str:
        """Describes the alert in one line of English, without control characters."""
        run, tag = shown(self.run), shown(self.tag)
        if self.kind == "ended":
            what = f"{run} has ended ({self.status})"
        elif self.kind == "stalled":
            what = f"{run} has made no progress for {self.value:g} minutes"
        elif self.kind == "finding":
            what = f"{run}: {shown(self.status)}"
        else:
            what = f"{tag} of {run} is {self.value:g} at step {self.step}"
        return f"{shown(self.rule)}: {what}"

    def row(self) -> dict[str, Any]:
        """The alert for JSON: a value that is not finite is a text."""
        value = self.value
        plain = value if value is None or math.isfinite(value) else str(value)
        return {**asdict(self), "value": plain, "id": self.id}

    def message(self, page: str = "") -> dict[str, Any]:
        """Makes the message. ``text`` is safe in services that read markup, as Slack; the rest is raw."""
        text = self.text().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        row = self.row()
        sent = {"text": text} | {name: row[name] for name in _SENT}
        return sent | ({"url": self.url(page)} if page else {})

    def url(self, page: str) -> str:
        """The place in the page: the run alone, the card of the tag, the cursor at the step."""
        parts = [("tab", "scalar"), ("runs", _part(self.run))]
        if self.step is not None:
            tag = re.sub(r"[.*+?^${}()|[\]\\]", r"\\\g<0>", self.tag)
            parts += [("scalar.tags", f"^{tag}$"), ("cursor", str(self.step))]
        return f"{page}/#" + "&".join(f"{key}={quote(value, safe='/:')}" for key, value in parts)


_SENT = ("id", "rule", "kind", "run", "tag", "step", "value", "at", "status")


def _part(name: str) -> str:
    """A name in a list of the URL of the page."""
    return "~" if name == "" else "".join(f"%{ord(one):02X}" if one in "%;=,~" else one for one in name)


def shown(name: str) -> str:
    """A name of a log in a message: what a terminal or a service would act on is escaped."""
    text = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def alert_of(row: object) -> Alert:
    """An alert of a line of the journal. Raises ValueError for anything else."""
    if not isinstance(row, dict) or not {"rule", "key", "run", "tag", "subject"} <= row.keys():
        raise ValueError("not an alert")
    values = {name: row.get(name) for name in fields_dict(Alert)}
    if values["value"] is not None:
        values["value"] = float(values["value"])
    if not all(isinstance(values[name], str) for name in ("rule", "key", "kind", "run", "tag", "subject")):
        raise ValueError("not an alert")
    return Alert(**{**values, "status": values["status"] or ""})  # type: ignore[arg-type]


class Journal:
    """Alerts in the order in which they were found, in a file that hosts of the same logs share.

    Without a file they are kept in memory. Methods are called by one thread, ``after`` by any.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None  # device and inode of the file that was read
        self._end = 0  # of what was read of it
        self._alerts: list[Alert] = []
        self._ids: set[str] = set()
        if path is not None:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._locked() as number:
                self._read(number)

    def __contains__(self, alert: Alert) -> bool:
        return alert.id in self._ids

    def after(self, number: int, most: int) -> tuple[int, Sequence[Alert]]:
        """Returns the number of alerts, and the last ``most`` of those after the first ``number``."""
        alerts = self._alerts
        total = len(alerts)
        return total, alerts[max(number, total - most) : total]

    def add(self, alert: Alert) -> bool:
        """Writes an alert down; False if it is there, perhaps by another host. Raises OSError."""
        if alert in self:
            return False
        if self._path is None:
            self._keep(alert)
            return True
        with self._locked() as number:
            self._read(number)
            if alert in self:
                return False
            line = json.dumps(alert.row()).encode() + b"\n"
            if self._end < os.fstat(number).st_size:
                line = b"\n" + line  # a line that was cut off stays a line of its own
            os.write(number, line)
            os.fsync(number)
            self._read(number)
        self._keep(alert)  # also if the line was cut off
        return True

    def _keep(self, alert: Alert) -> None:
        if alert.id not in self._ids:
            self._ids.add(alert.id)
            self._alerts.append(alert)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        assert self._path is not None
        number = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            try:
                import fcntl

                fcntl.flock(number, fcntl.LOCK_EX)
            except (ImportError, OSError):  # Windows, and some network file systems
                pass
            yield number
        finally:
            os.close(number)  # releases the lock

    def _read(self, number: int) -> None:
        """Takes the lines after the last one that was read; those that cannot be read are left.

        A file that was deleted or cut meanwhile is read from its beginning.
        """
        info = os.fstat(number)
        size, file = info.st_size, (info.st_dev, info.st_ino)
        if file != self._file or size < self._end:
            self._file, self._end = file, 0
        os.lseek(number, self._end, os.SEEK_SET)
        content = b""
        while len(content) < size - self._end and (more := os.read(number, size - self._end - len(content))):
            content += more
        whole = content[: content.rfind(b"\n") + 1]
        for line in whole.splitlines():
            try:
                if line:
                    self._keep(alert_of(json.loads(line)))
            except (ValueError, TypeError):
                log.warning("%s: a line cannot be read; it is kept", self._path)
        self._end += len(whole)
