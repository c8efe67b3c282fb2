"""``insight-host serve``: loads in the background, listens, and ends when it is told to."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from types import FrameType

from insight_core.api import DataProvider
from insight_core.cli.data_source import ignored_flags, open_data
from insight_core.cli.logdirs import open_logdirs, problems
from insight_core.cli.options import Options
from insight_core.cli.policies import open_registry
from insight_core.cli.terminal import LoadingDisplay, open_terminal
from insight_core.cli.version import host_version
from insight_core.host import Host, HostSettings
from insight_core.host.server import Server, listen

log = logging.getLogger(__name__)

_PATIENCE = 0.8  # seconds that threads have to end after a signal


def serve(options: Options) -> int:
    line = open_terminal(options.verbosity)
    registry = open_registry(options)
    logdirs = open_logdirs(options)
    provider = open_data(options, registry, logdirs)
    try:
        settings = HostSettings(
            path_prefix=options.path_prefix,
            window_title=options.window_title,
            bound_host=options.host,
            allowed_hosts=options.allowed_host,
            notices=lambda: problems(logdirs),
        )
        host = Host(registry, provider, settings)
        server = listen(host, options.host, options.port, path_prefix=options.path_prefix)
    except BaseException:
        provider.close()
        raise
    ending = _Ending()
    ending.watch()
    provider.start()
    print(f"insight-host {host_version()} at {server.url} (Ctrl-C ends it)", flush=True)
    for flag in ignored_flags(options):
        line.print(f"insight-host: {flag} has no effect: the data server at {options.data_provider} decides.")
    for notice in problems(logdirs):
        line.print(f"insight-host: {notice.text} Runs appear as soon as it can be read.")
    display = LoadingDisplay(line, provider.progress, lambda: len(provider.runs()))
    display.start()
    serving = threading.Thread(target=ending.run, args=(server,), name="server", daemon=True)
    serving.start()
    if options.open:
        threading.Thread(target=_open_browser, args=(server.url,), name="browser", daemon=True).start()
    ending.wait()
    code = 1 if ending.failed else 0
    closing = threading.Thread(target=_close, args=(server, provider, display), name="closing", daemon=True)
    closing.start()
    closing.join(_PATIENCE)
    if closing.is_alive():
        log.info("some threads did not end in time")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # nothing is ever written to a logdir, so nothing can be left half done
    return code


class _Ending:
    """The wait for a signal, or for the server to fail."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self.failed = False

    def watch(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def run(self, server: Server) -> None:
        try:
            server.serve_forever()
        except Exception:
            log.exception("the server failed")
            self.failed = True
        finally:
            self._asked.set()

    def wait(self) -> None:
        while not self._asked.wait(3600):
            pass

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._asked.set()


def _close(server: Server, provider: DataProvider, display: LoadingDisplay) -> None:
    display.stop()
    server.stop()
    provider.close()


def _open_browser(url: str) -> None:
    import webbrowser

    try:
        opened = webbrowser.open(url)
    except webbrowser.Error:
        opened = False
    if not opened:
        log.warning("no browser could be opened; the address is %s", url)
