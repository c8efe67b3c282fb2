"""``insight-host serve``: loads in the background and serves until a signal ends it."""

from __future__ import annotations

import logging
import os
import shlex
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, NoReturn

from insight_core.cli.awaited_host import AwaitedHost
from insight_core.cli.data_source import ignored_flags, open_data
from insight_core.cli.flag_types import without_token
from insight_core.cli.flags import Options
from insight_core.cli.logdirs import cache_shares, open_logdirs, problems, with_filled
from insight_core.cli.middleware import Greeting, app_settings, wrapped
from insight_core.cli.other_program import open_guests
from insight_core.cli.policies import open_registry
from insight_core.cli.process import Ending, end_now, settle_imports, wait_for
from insight_core.cli.storage import open_state, plugin_cache_directory, plugin_state_directory
from insight_core.cli.terminal import LoadingDisplay, open_terminal
from insight_core.cli.text_table import printable
from insight_core.cli.version import host_version
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import DataProvider
from insight_core.registry import Registry

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from insight_core.own_hooks import Guests
    from insight_core.web import Host
    from insight_core.web.http_server import Server
    from insight_core.web.state.annotations import AnnotationStore
    from insight_core.web.state.saved import SavedStore

log = logging.getLogger(__name__)

# Seconds that a thread keeps the interpreter while others wait. A page asks a few dozen times, and each time
# waits so long for rules that are checked in the background: Python's 5 ms made pages several times slower.
_TURN = 0.0005


def serve(
    options: Options, *, at_end: Callable[[], None] | None = None, ending: Ending | None = None
) -> NoReturn:
    """Serves until a signal asks for the end, then ends the process.

    ``at_end`` is called before, even if threads still hang.
    ``ending`` is what waits for the end where something did before.
    """
    sys.setswitchinterval(_TURN)
    line = open_terminal(options.verbosity)
    registry = open_registry(options)
    logdirs = with_filled(open_logdirs(options), registry)
    provider = open_data(options, registry, logdirs)
    greeting = Greeting()
    awaited = AwaitedHost()
    try:
        provider.start()
        state = open_state(options, logdirs, provider)
        guests = open_guests(options, provider, logdirs, registry)
        server = _listen(options, registry, awaited, greeting)
    except BaseException:
        provider.close()
        raise
    with Ending() if ending is None else nullcontext(ending) as ending:
        first = f"insight-host {host_version()} at {greeting.printed(server.url)} (Ctrl-C ends it)"
        lines = [first, *(f"insight-host: {text}" for text in greeting.lines)]
        # one write: whoever reads the address from a pipe has the other lines by then
        print("".join(f"{text}\n" for text in lines), end="", flush=True)
        serving = _Serving(server, ending)
        try:
            host = _host(options, registry, provider, logdirs, state, guests)
        except BaseException:
            provider.close()  # requests that wait end with the process
            raise
        if options.watch_front_ends:
            host.watch_front_ends()
        awaited.come(host)
        settle_imports()
        host.begin()
        if guests is not None:
            guests.start()
        source = without_token(options.data_provider or "")
        follows = options.reload_interval > 0
        for flag in ignored_flags(options):
            line.print(f"insight-host: {flag} has no effect: {source} decides.")
        for notice in problems(logdirs, follows=follows):
            line.print(f"insight-host: {notice}")
        if not (server.is_of_this_machine_only or greeting.guarded.is_set()):
            line.print(
                "insight-host: --insecure: other machines can look and write; no plugin guards the host"
            )
        if server.socket_file is not None:
            line.print(f"insight-host: {_tunnel_hint(server.socket_file.path, server.port)}")
        display = LoadingDisplay(line, provider.progress, lambda: len(provider.runs()))
        display.start()
        if options.open:
            url = greeting.opened(server.url)
            threading.Thread(target=_open_browser, args=(url,), name="browser", daemon=True).start()
        ending.wait()
        code = 1 if serving.failed else 0
        closing = threading.Thread(
            target=_close, args=(server, guests, provider, display), name="closing", daemon=True
        )
        closing.start()
        has_ended = wait_for(closing)
        if at_end is not None:
            at_end()
        if not has_ended:
            log.info("some threads did not end in time")
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)  # nothing is ever written to a logdir, so nothing can be left half done
        end_now(code)


def _listen(options: Options, registry: Registry, awaited: AwaitedHost, greeting: Greeting) -> Server:
    app = wrapped(awaited, registry, app_settings(options, greeting))
    server = _listening(options, app)
    if not (server.is_of_this_machine_only or greeting.guarded.is_set() or options.insecure):
        server.stop()
        raise InvalidArgument(
            f"--host {options.host} is reached from other machines, and no plugin guards the host: leave out "
            "--disable-plugin for the plugin that does, or accept the risk with --insecure"
        )
    return server


def _listening(options: Options, app: WSGIApplication) -> Server:
    """The server that the flags ask for. Raises InsightError if it cannot listen."""
    from insight_core.web.http_server import listen, listen_at_socket

    certificates = None
    if options.tls_cert is not None:
        from insight_core.web.tls import Certificates  # imports ssl

        certificates = Certificates(options.tls_cert, options.tls_key)
    elif options.tls_key is not None:
        raise InvalidArgument(f"{options.origin('tls_key')} needs {options.origin('tls_cert')}")
    prefix = options.path_prefix
    if options.unix_socket is not None:
        return listen_at_socket(app, options.unix_socket, path_prefix=prefix, certificates=certificates)
    return listen(app, options.host, options.port, path_prefix=prefix, certificates=certificates)


def open_host(
    options: Options, registry: Registry, provider: DataProvider, logdirs: Sequence[Logdir]
) -> Host:
    """The application, which listens nowhere. Raises InvalidArgument for a state directory in a logdir."""
    return _host(options, registry, provider, logdirs, open_state(options, logdirs, provider), None)


def _host(
    options: Options,
    registry: Registry,
    provider: DataProvider,
    logdirs: Sequence[Logdir],
    state: tuple[AnnotationStore, SavedStore],
    guests: Guests | None,
) -> Host:
    from insight_core.providers.common import unread_reasons
    from insight_core.web import Host, HostSettings

    settings = HostSettings(
        path_prefix=options.path_prefix,
        window_title=options.window_title,
        bound_host=options.host,
        allowed_hosts=options.allowed_host,
        frame_ancestors=options.frame_ancestor,
        follows=options.reload_interval > 0,
        notices=lambda: problems(logdirs, follows=options.reload_interval > 0),
        unread_files=lambda: unread_reasons(provider),
        cache_directory=plugin_cache_directory(options, logdirs),
        cache_size=cache_shares(options, logdirs)[1],
        state_directory=plugin_state_directory(options, logdirs),
        guests=guests,
    )
    return Host(registry, provider, settings, *state)


def _tunnel_hint(path: str, port: int) -> str:
    machine = f"{os.environ.get('USER', 'USER')}@{socket.gethostname()}"
    return (
        f"listening on the unix socket {printable(path)}; to open the address above, run where your browser "
        f"is: ssh -N -L {port}:{printable(shlex.quote(path))} {machine}"
    )


class _Serving:
    """The thread that serves, and whether it failed."""

    def __init__(self, server: Server, ending: Ending) -> None:
        self._server, self._ending = server, ending
        self.failed = False
        self._thread = threading.Thread(target=self._run, name="server", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._server.serve_forever()
        except Exception:
            log.exception("the server failed")
            self.failed = True
        finally:
            self._ending.ask()


def _close(server: Server, guests: Guests | None, provider: DataProvider, display: LoadingDisplay) -> None:
    display.stop()
    if guests is not None:
        guests.close()
    server.stop()
    provider.close()


def _open_browser(url: str) -> None:
    import webbrowser

    try:
        opened = webbrowser.open(url)
    except webbrowser.Error:
        opened = False
    if not opened:
        log.warning("no browser could be opened; the address is above")
