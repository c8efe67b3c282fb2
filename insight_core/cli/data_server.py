"""``insight-data-server``: loads logs in a separate process and serves them over gRPC.

A drop-in replacement for TensorBoard's data server: flags, files, exit codes and output on stderr are those
of tensorboard/data/server/cli.rs.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.cli.data_server_flags import DataServerOptions, read_data_server_options
from insight_core.cli.process import Ending, prepare_imports, settle_imports, spare_memory, wait_for
from insight_core.cli.text_table import printable

if TYPE_CHECKING:
    from insight_core.cli.data_server_protection import Clients
    from insight_core.ingest.logdir import Logdir
    from insight_core.plugin import CachePolicy, Claim, Plugin

_BAD_FLAG, _BAD_LOGDIR, _BIND_FAILED, _OTHER = 2, 8, 9, 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs ``insight-data-server``; returns its exit code."""
    options = read_data_server_options(sys.argv[1:] if arguments is None else arguments, os.environ)
    prepare_imports()
    spare_memory()
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # errors are reported once, by this server
    return _run(options)


class _Failure(Exception):
    """Why the server does not start, and its exit code."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def _run(options: DataServerOptions) -> int:
    with Ending() as ending:
        try:
            logdirs = _logdirs(options.logdir)
            stop = _started(options, logdirs)
        except _Failure as failure:
            return _fail(failure, options.error_file)
        settle_imports()
        if options.die_after_stdin:
            threading.Thread(target=_drain, args=(ending,), name="stdin", daemon=True).start()
        ending.wait()
    closing = threading.Thread(target=stop, name="closing", daemon=True)
    closing.start()
    wait_for(closing)
    sys.stderr.flush()
    os._exit(0)  # threads may still compute answers that no client waits for


def _started(options: DataServerOptions, logdirs: Sequence[Logdir]) -> Callable[[], None]:
    """Listens, announces the port and starts loading; returns a function that stops both."""
    from insight_core.plugin import InsightError
    from insight_core.providers.locations import require_grpc

    try:
        require_grpc()
    except InsightError as error:
        raise _Failure(_OTHER, str(error)) from error
    from insight_core.cli.data_server_protection import Clients, protection_of
    from insight_core.cli.logdirs import UnknownStore
    from insight_core.cli.other_program import other_program
    from insight_core.cli.policies import open_registry
    from insight_core.cli.storage import open_local
    from insight_core.cli.terminal import open_terminal
    from insight_core.cli.version import host_version
    from insight_core.rpc.serving import BindError, serve

    open_terminal(options.shared.verbosity)
    try:
        protection = protection_of(options)
        registry = open_registry(options.shared)
        plugins = registry.plugins
        other = other_program(registry)
        policies = _policies(options, plugins, _no_claims if other is None else other.claims)
        provider = open_local(options.shared, logdirs, registry, policies, options.reload)
        registry.follow(provider.admit)
        server = serve(
            provider,
            options.host,
            options.port,
            version=host_version(),
            protection=protection,
            unix_socket=options.unix_socket,
            services={} if other is None else other.services(provider),
            computations=lambda name: registry.plugins[name].computations if name in registry.plugins else {},
        )
    except BindError as error:
        raise _Failure(_BIND_FAILED, str(error)) from error
    except UnknownStore as error:
        raise _Failure(_BAD_LOGDIR, str(error)) from error
    except InsightError as error:
        raise _Failure(_BAD_FLAG, str(error)) from error
    clients = Clients(options, protection, server)
    try:
        _announce(options, server.port, clients)
    except _Failure:
        clients.close()
        raise
    provider.start()

    def stop() -> None:
        clients.close()
        server.stop()
        provider.close()

    return stop


def _logdirs(texts: Sequence[str]) -> list[Logdir]:
    from insight_core.ingest.logdir import parse_logdir

    for text in texts:
        if not text:
            raise _Failure(_BAD_LOGDIR, "empty --logdir")
    return [parse_logdir(text) for text in texts]


def _no_claims(name: str) -> frozenset[Claim]:
    return frozenset()


def _policies(
    options: DataServerOptions, plugins: Mapping[str, Plugin], claims_of: Callable[[str], frozenset[Claim]]
) -> Mapping[str, CachePolicy]:
    """Cache policies by plugin, and by claim for values without a plugin."""
    from insight_core.cli.policies import cache_policies
    from insight_core.plugin import CachePolicy, Keep

    policies = cache_policies(options.shared, plugins)
    for name, points in options.samples_per_plugin.items():
        policy = CachePolicy(Keep.UNIFORM if points else Keep.ALL, points)
        claims = claims_of(name)
        policies.update((str(claim), policy) for claim in claims)
        for plugin in plugins.values():
            if name == plugin.name or (plugin.decoder is not None and claims & plugin.decoder.claims):
                policies[plugin.name] = policy
    return policies


def _announce(options: DataServerOptions, port: int, clients: Clients) -> None:
    """Prints the address or writes the port file, atomically: a client may read the file at any moment."""
    if options.port_file is None and options.unix_socket is not None and options.die_after_stdin:
        return  # the parent waits for the socket
    if options.port_file is None:
        clients.tell()
        return
    path = Path(options.port_file)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text(f"{port}\n", encoding="ascii")
        partial.replace(path)
    except OSError as error:
        raise _Failure(_OTHER, f'failed to write port "{port}" to {path}: {error}') from error


def _fail(failure: _Failure, error_file: str | None) -> int:
    """Reports why the server does not start, in the error file if given; returns the exit code."""
    text = str(failure)
    if error_file is not None:
        try:
            Path(error_file).write_text(f"{text}\n", encoding="utf-8", errors="backslashreplace")
            return failure.code
        except OSError as error:
            text = f"{text} (and {error_file} could not be written: {error})"
    print(f"fatal: {printable(text)}", file=sys.stderr)
    return failure.code


def _drain(ending: Ending) -> None:
    """Waits until standard input is closed, which means that the parent has ended."""
    try:
        while os.read(0, 1 << 16):
            pass
    except OSError:
        pass  # it was closed
    ending.ask()


if __name__ == "__main__":
    sys.exit(main())
