"""Flags of ``insight-data-server``: those of TensorBoard's data server, and more."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence

from attrs import field, frozen

from insight_core.cli.flag_types import merged_counts, nonempty, port_number, seconds, with_hyphens
from insight_core.cli.host_flags import (
    CACHE,
    CACHE_DIR,
    CACHE_PRESET,
    CACHE_SIZE,
    DISABLE_PLUGIN,
    FOLD,
    FOLLOW_SYMLINKS,
    MAX_MEMORY,
    PLUGIN,
    PLUGIN_FILE,
    TLS_CERT,
    TLS_KEY,
    VERBOSITY,
)
from insight_core.cli.options import Options, flag_values
from insight_core.plugin import Option

_SHORTEST_RELOAD = 0.5  # seconds; TensorBoard says 0 for intervals of less than one


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
        "directory of training logs, searched to any depth, or s3://BUCKET/PREFIX and other stores (of the "
        "extra remote); repeat it for several, name one as name:DIR",
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
    Option(
        "unix-socket",
        "listen on a unix socket that only this user can connect to, not on a port",
        type=nonempty,
        metavar="PATH",
    ),
    Option(
        "token",
        "answer only clients with a token (default: a random one, which clients of this user on this machine "
        "find; on a unix socket only with --token-file)",
        type=bool,
        default=True,
    ),
    Option(
        "token-file",
        "file whose first line is the token, readable by this user only; - for standard input",
        type=nonempty,
        metavar="FILE",
    ),
    Option(
        "same-user",
        "answer programs of this user on this machine without a token, as TensorBoard, which sends none "
        "(default; Linux, on loopback)",
        type=bool,
        default=True,
    ),
    TLS_CERT,
    TLS_KEY,
    Option(
        "insecure",
        "listen beyond this machine without a token or without TLS",
        type=bool,
        default=False,
    ),
    Option("reflection", "let clients list services and messages (grpcurl)", type=bool, default=False),
)
# Flags that may also be set by environment variables.
_SHARED_FLAGS = (
    FOLLOW_SYMLINKS,
    FOLD,
    CACHE_DIR,
    CACHE_SIZE,
    CACHE,
    MAX_MEMORY,
    CACHE_PRESET,
    DISABLE_PLUGIN,
    PLUGIN,
    PLUGIN_FILE,
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
    unix_socket: str | None
    token: bool
    token_file: str | None
    same_user: bool
    tls_cert: str | None
    tls_key: str | None
    insecure: bool
    reflection: bool
    shared: Options


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
    own, origins = flag_values(parser, given, _FLAGS, {})
    for name in ("host", "port", "port_file"):
        if own["unix_socket"] and name in origins:
            parser.error(f"{origins[name]} cannot be combined with --unix-socket")
    if not own["token"] and own["token_file"]:
        parser.error("--token-file cannot be combined with --no-token")
    if own["tls_key"] and not own["tls_cert"]:
        parser.error("--tls-key needs --tls-cert")
    if own["logdir"] is None:
        parser.error("no log directory: give --logdir DIR")
    shared, _ = flag_values(parser, given, _SHARED_FLAGS, environment)
    if given["verbose"]:
        shared["verbosity"] = "info" if given["verbose"] == 1 else "debug"
    return DataServerOptions(**own, shared=Options(command="data-server", **shared))
