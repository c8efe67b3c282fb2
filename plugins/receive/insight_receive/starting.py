"""Starts to receive: makes the directory, reads or makes the token, and says how to send."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.plugin import AppSettings, InvalidArgument
from insight_core.plugin.own import random_token, token_in

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from insight_receive.receiver import Receiver

_ROOT = "/receive/"


def received(app: WSGIApplication, settings: AppSettings) -> WSGIApplication:
    """``app``, with ``/receive/`` before it. Raises InvalidArgument."""
    options = settings.options
    directory = Path(options["receive"]).expanduser().absolute()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidArgument(f"--receive {directory}: {error.strerror or error}") from error
    if options["receive_token_file"] is not None:
        token = token_in(options["receive_token_file"], "--receive-token-file")
        how = f"the token in {options['receive_token_file']}"
    else:
        token = random_token()
        how = token
    settings.say(
        f"--receive: runs are written into {directory}. Where a training runs, set INSIGHT_RECORD_TO to the "
        f"address of this host, without ?token=, and INSIGHT_RECORD_TOKEN to {how}"
    )
    return _Receiving(app, settings, directory, token)


class _Receiving:
    """The WSGI application around the host; the receiver is imported for the first request of a sender."""

    def __init__(self, app: WSGIApplication, settings: AppSettings, directory: Path, token: str) -> None:
        self._app, self._settings, self._directory, self._token = app, settings, directory, token
        self._root = settings.path_prefix + _ROOT

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not str(environ.get("PATH_INFO", "")).startswith(self._root):
            return self._app(environ, start_response)
        return self._receiver(environ, start_response)

    @cached_property
    def _receiver(self) -> Receiver:
        from insight_receive.receiver import Receiver

        options = self._settings.options
        return Receiver(
            self._root, self._token, self._directory, options["receive_quota"], options["receive_run_quota"]
        )
