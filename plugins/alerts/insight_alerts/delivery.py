"""Sends alerts to webhooks and commands: a bounded queue and a thread for each target."""

from __future__ import annotations

import json
import logging
import os
import queue
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from signal import SIGKILL
from typing import Any

from insight_alerts.rules import Target

log = logging.getLogger("insight.plugin.alerts")

WAITING = 100  # alerts in the queue of a target; more are dropped
_TIMEOUT = 10.0  # seconds for an answer of a webhook
_COMMAND = 30.0  # seconds for a command
_PAUSES = (1.0, 5.0, 25.0)  # seconds before a webhook is tried again
_SHOWN = 200  # characters of the stderr of a command that failed

Message = Mapping[str, Any]


class NotSent(Exception):
    """An alert did not arrive; ``again``: a later attempt may succeed."""

    def __init__(self, reason: str, *, again: bool = False) -> None:
        super().__init__(reason)
        self.again = again


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object, **__: object) -> None:
        """A redirected POST would arrive as a GET: the redirection is an error instead."""


_opener = urllib.request.build_opener(_NoRedirection)


def send(target: Target, message: Message) -> None:
    """Sends one message, once. Raises NotSent."""
    if target.webhook is not None:
        _post(target.webhook, message)
    else:
        _run(target.command, message)


def _post(address: str, message: Message) -> None:
    head = {"Content-Type": "application/json", "User-Agent": "insight-host"}
    request = urllib.request.Request(address, json.dumps(message).encode(), head, method="POST")
    try:
        with _opener.open(request, timeout=_TIMEOUT) as answer:
            answer.read(1 << 16)
    except urllib.error.HTTPError as error:
        with error:
            raise NotSent(f"HTTP {error.code}", again=error.code >= 500 or error.code == 429) from error
    except (OSError, ValueError, HTTPException) as error:  # unreachable, slow, or no HTTP
        raise NotSent(str(getattr(error, "reason", error)), again=True) from error


def _run(command: tuple[str, ...], message: Message) -> None:
    """Runs a command without a shell: the message is its stdin, as JSON, and its environment."""
    described = {
        f"INSIGHT_ALERT_{name.upper()}": "" if value is None else str(value).replace("\0", "")
        for name, value in message.items()
    }
    with tempfile.TemporaryFile() as complaints:  # no pipe: what it started may go on and hold that open
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                env={**os.environ, **described},
                start_new_session=True,  # so that what it started can be ended with it
            )
        except OSError as error:
            raise NotSent(f"{command[0]}: {error.strerror}") from error
        try:
            process.communicate(json.dumps(message).encode(), timeout=_COMMAND)
        except subprocess.TimeoutExpired as error:
            with suppress(OSError):
                os.killpg(process.pid, SIGKILL)
            process.communicate()
            raise NotSent(f"{command[0]} did not end within {_COMMAND:g} s") from error
        if process.returncode:
            complaints.seek(max(0, complaints.seek(0, os.SEEK_END) - 4 * _SHOWN))
            said = complaints.read(4 * _SHOWN).decode("utf-8", "replace").strip()[-_SHOWN:]
            raise NotSent(f"{command[0]} ended with {process.returncode}" + (f": {said}" if said else ""))


class Courier:
    """Sends messages to targets, each in its own thread: a slow target delays no other.

    Nothing waits for a target: of messages that do not fit into its queue, the newest are dropped.
    """

    def __init__(self, targets: Mapping[str, Target], pauses: tuple[float, ...] = _PAUSES) -> None:
        self._pauses = pauses
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._failures: dict[str, dict[str, str]] = {}  # why a message did not arrive, by id and target
        self._queues: dict[str, queue.Queue[Message]] = {}
        for target in targets.values():
            waiting: queue.Queue[Message] = queue.Queue(WAITING)
            self._queues[target.name] = waiting
            work = threading.Thread(
                target=self._work, args=(target, waiting), name=f"alerts: {target.name}", daemon=True
            )
            work.start()

    def send(self, targets: tuple[str, ...], message: Message) -> None:
        """Puts a message into the queues of these targets, and returns."""
        for name in targets:
            try:
                self._queues[name].put_nowait(message)
            except queue.Full:
                self._failed(name, message, f"more than {WAITING} alerts waited for it")

    def failures_of(self, alert: str) -> Mapping[str, str]:
        """Why the message of an alert did not arrive, by target."""
        with self._lock:
            return dict(self._failures.get(alert, {}))

    def close(self) -> None:
        """Ends the threads after what they are sending now."""
        self._stopped.set()

    def _work(self, target: Target, waiting: queue.Queue[Message]) -> None:
        while not self._stopped.is_set():
            with suppress(queue.Empty):
                message = waiting.get(timeout=0.5)
                try:
                    self._send(target, message)
                except Exception:  # one message must not end the thread
                    log.exception("an alert could not be sent to %s", target.name)
                    self._failed(target.name, message, "an error of the plugin; the log has it")

    def _send(self, target: Target, message: Message) -> None:
        for pause in (*self._pauses, None):
            try:
                send(target, message)
            except NotSent as error:
                if pause is None or not error.again:
                    self._failed(target.name, message, str(error))
                elif not self._stopped.wait(pause):
                    continue
            return

    def _failed(self, target: str, message: Message, reason: str) -> None:
        log.warning("alert %r was not sent to %s: %s", message["text"], target, reason)
        with self._lock:
            self._failures.setdefault(str(message["id"]), {})[target] = reason
            while len(self._failures) > 10 * WAITING:
                del self._failures[next(iter(self._failures))]
