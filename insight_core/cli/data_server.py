"""``insight-data-server``: loads logs in a separate process and serves them over gRPC.

A drop-in replacement for TensorBoard's data server: flags, files, exit codes and output on stderr are those
of tensorboard/data/server/cli.rs.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from insight_core.cli.flag_types import merged_counts, nonempty, port_number, seconds, with_hyphens
from insight_core.cli.garbage_collection import prepare_imports, settle_imports
from insight_core.cli.host_flags import (
    CACHE,
    CACHE_DIR,
    CACHE_PRESET,
    CACHE_SIZE,
    DISABLE_PLUGIN,
    FOLLOW_SYMLINKS,
    MAX_MEMORY,
    PLUGIN,
    VERBOSITY,
)
from insight_core.cli.options import Options, flag_values
from insight_core.cli.shutdown import Ending
from insight_core.cli.text_table import printable
from insight_core.plugin import Option

if TYPE_CHECKING:
    from insight_core.ingest.discover import Logdir
    from insight_core.plugin import CachePolicy, Plugin

_BAD_FLAG, _BAD_LOGDIR, _BIND_FAILED, _OTHER = 2, 8, 9, 1
_PATIENCE = 0.8  # seconds that threads have to end
_SHORTEST_RELOAD = 0.5  # seconds; TensorBoard says 0 for intervals of less than one
_REMOTE = re.compile(r"([A-Za-z0-9+.-]+)://")


def _reload(text: str) -> float:
    """Seconds between loads; 0 stands for ``once``."""
    return 0.0 if text == "once" else seconds(text) or _SHORTEST_RELOAD


def _samples(text: str) -> dict[str, int]:
    """``{"scalars": 500, "images": 0}`` out of ``scalars=500,images=all``; 0 keeps all."""
    counts = {}
    for part in filter(None, text.split(",")):
        name, equals, count = part.partition("=")
        if not (name and equals and re.fullmatch(r"all|[0-9]{1,18}", count)):
            raise argparse.ArgumentTypeError(f"{part!r} is not of the form plugin=N or plugin=all")
        counts[name] = 0 if count == "all" else int(count)
    return counts


_FLAGS = (
    Option(
        "logdir",
        "directory of training logs, searched to any depth; repeat it for several, name one as name:DIR",
        metavar="DIR",
        split=lambda text: [text],
    ),
    Option(
        "host",
        "address to listen on (default localhost: this machine only)",
        type=nonempty,
        default="localhost",
        metavar="HOST",
    ),
    Option("port", "port (default 6806; 0: any free one)", type=port_number, default=6806, metavar="PORT"),
    Option(
        "reload",
        'seconds between loads, or "once" (default 5)',
        type=_reload,
        default=5.0,
        metavar="SECONDS",
    ),
    Option(
        "samples-per-plugin",
        "points of a series to keep, by TensorBoard's or our plugin names (default, all and 0: all of them)",
        type=_samples,
        metavar="NAME=N,...",
        split=lambda text: [text],
        default=(),
    ),
    Option(
        "checksum",
        "accepted and ignored: checksums are always verified",
        type=bool,
    ),
    Option("port-file", "write the port to this file once the server listens", type=nonempty, metavar="FILE"),
    Option(
        "error-file",
        "write the reason to this file if the server cannot start",
        type=nonempty,
        metavar="FILE",
    ),
    Option("die-after-stdin", "end when standard input is closed", type=bool, default=False),
)
# Flags that may also be set by environment variables.
_SHARED_FLAGS = (
    FOLLOW_SYMLINKS,
    CACHE_DIR,
    CACHE_SIZE,
    CACHE,
    MAX_MEMORY,
    CACHE_PRESET,
    DISABLE_PLUGIN,
    PLUGIN,
    VERBOSITY,
)


@frozen(kw_only=True)
class DataServerOptions:
    """The flags; ``shared`` holds those that insight-host has too."""

    logdir: Sequence[str] = field(converter=tuple)
    host: str
    port: int
    reload: float
    samples_per_plugin: Mapping[str, int] = field(converter=merged_counts)
    checksum: bool | None
    port_file: str | None
    error_file: str | None
    die_after_stdin: bool
    shared: Options


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs ``insight-data-server``; returns its exit code."""
    options = read_data_server_options(sys.argv[1:] if arguments is None else arguments, os.environ)
    prepare_imports()
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # errors are reported once, by this server
    return _run(options)


def read_data_server_options(arguments: Sequence[str], environment: Mapping[str, str]) -> DataServerOptions:
    """Prints and exits (SystemExit: 0 help, 2 usage error) as argparse does."""
    parser = argparse.ArgumentParser(
        prog="insight-data-server",
        description="Serves training logs over gRPC, to insight-host and to TensorBoard.",
        allow_abbrev=False,
    )
    for flag in (*_FLAGS, *_SHARED_FLAGS):
        flag.add_to(parser)
    parser.add_argument("-v", "--verbose", action="count", default=0, help="log more; twice: everything")
    parser.add_argument("-V", "--version", action="store_true", help="print the version and exit")
    given = vars(parser.parse_args(with_hyphens(arguments)))
    if given["version"]:
        from insight_core.cli.version import version_text

        print(version_text())
        parser.exit(0)
    own, _ = flag_values(parser, given, _FLAGS, {})
    if own["logdir"] is None:
        parser.error("no log directory: give --logdir DIR")
    shared, _ = flag_values(parser, given, _SHARED_FLAGS, environment)
    if given["verbose"]:
        shared["verbosity"] = "info" if given["verbose"] == 1 else "debug"
    return DataServerOptions(**own, shared=Options(command="data-server", **shared))


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
    closing.join(_PATIENCE)
    sys.stderr.flush()
    os._exit(0)  # threads may still compute answers that no client waits for


def _started(options: DataServerOptions, logdirs: Sequence[Logdir]) -> Callable[[], None]:
    """Listens, announces the port and starts loading; returns a function that stops both."""
    from insight_core.cli.policies import open_registry
    from insight_core.cli.storage import open_local
    from insight_core.cli.terminal import open_terminal
    from insight_core.cli.version import host_version
    from insight_core.plugin import InsightError
    from insight_core.rpc.serving import BindError, serve

    open_terminal(options.shared.verbosity)
    try:
        registry = open_registry(options.shared)
        plugins = registry.plugins
        policies = _policies(options, plugins)
        provider = open_local(options.shared, logdirs, registry, policies, options.reload)
        registry.follow(provider.admit)
        server = serve(
            provider,
            options.host,
            options.port,
            version=host_version(),
            computations=lambda name: registry.plugins[name].computations if name in registry.plugins else {},
        )
    except BindError as error:
        raise _Failure(_BIND_FAILED, str(error)) from error
    except InsightError as error:
        raise _Failure(_BAD_FLAG, str(error)) from error
    _announce(options, server.port)
    provider.start()

    def stop() -> None:
        server.stop()
        provider.close()

    return stop


def _logdirs(texts: Sequence[str]) -> list[Logdir]:
    from insight_core.ingest.discover import parse_logdir

    for text in texts:
        if not text:
            raise _Failure(_BAD_LOGDIR, "empty --logdir")
        remote = _REMOTE.match(text)
        if remote:
            raise _Failure(_BAD_LOGDIR, f'unknown protocol "{remote[1]}" in logdir {text}')
    return [parse_logdir(text) for text in texts]


def _policies(options: DataServerOptions, plugins: Mapping[str, Plugin]) -> Mapping[str, CachePolicy]:
    """Cache policies by plugin, and by claim for values without a plugin."""
    from insight_core.cli.policies import cache_policies
    from insight_core.plugin import CachePolicy, Keep
    from insight_core.rpc.tensorboard_view.translation import claims_of

    policies = cache_policies(options.shared, plugins)
    for name, points in options.samples_per_plugin.items():
        policy = CachePolicy(Keep.UNIFORM if points else Keep.ALL, points)
        claims = claims_of(name)
        policies.update((str(claim), policy) for claim in claims)
        for plugin in plugins.values():
            if name == plugin.name or (plugin.decoder is not None and claims & plugin.decoder.claims):
                policies[plugin.name] = policy
    return policies


def _announce(options: DataServerOptions, port: int) -> None:
    """Prints the port or writes the port file, atomically: a client may read the file at any moment."""
    if options.port_file is None:
        print(f"listening on {options.host}:{port}", file=sys.stderr, flush=True)
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
