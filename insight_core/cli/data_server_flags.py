"""Flags of ``insight-data-server``: those of TensorBoard's data server, and more."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence

from attrs import field, fields, frozen

from insight_core.cli.flag_types import merged_counts, port_number, seconds, with_hyphens
from insight_core.cli.flags import FLAGS, Options, flag, flags_of
from insight_core.cli.options import flag_values

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


@frozen(kw_only=True)
class DataServerOptions:
    """The flags; ``shared`` holds those that insight-host has too, and that variables may set."""

    logdir: Sequence[str] = flag(
        "directory of training logs, searched to any depth, or s3://BUCKET/PREFIX and other stores (of the "
        "extra remote); repeat it for several, name one as name:DIR",
        type=str,
        metavar="DIR",
        split=lambda text: [text],
        collect=tuple,
    )
    host: str = flag(
        "address to listen on (default localhost: this machine only)", default="localhost", metavar="HOST"
    )
    port: int = flag("port (default 6806; 0: any free one)", type=port_number, default=6806, metavar="PORT")
    reload: float = flag(
        'seconds between loads, or "once" (default 5)', type=_reload, default=5.0, metavar="SECONDS"
    )
    samples_per_plugin: Mapping[str, int] = flag(
        "points of a series to keep, by TensorBoard's or our plugin names (default, all and 0: all of them)",
        type=_samples,
        metavar="NAME=N,...",
        split=lambda text: [text],
        default=(),
        collect=merged_counts,
    )
    checksum: bool | None = flag("accepted and ignored: checksums are always verified", type=bool)
    port_file: str | None = flag("write the port to this file once the server listens", metavar="FILE")
    error_file: str | None = flag("write the reason to this file if the server cannot start", metavar="FILE")
    die_after_stdin: bool = flag("end when standard input is closed", type=bool, default=False)
    unix_socket: str | None = flag(
        "listen on a unix socket that only this user can connect to, not on a port", metavar="PATH"
    )
    token: bool = flag(
        "answer only clients with a token (default: a random one, which clients of this user on this machine "
        "find; on a unix socket only with --token-file)",
        type=bool,
        default=True,
    )
    token_file: str | None = flag(
        "file whose first line is the token, readable by this user only; - for standard input", metavar="FILE"
    )
    same_user: bool = flag(
        "answer programs of this user on this machine without a token, as TensorBoard, which sends none "
        "(default; Linux, on loopback)",
        type=bool,
        default=True,
    )
    tls_cert: str | None = field(default=None, metadata=fields(Options).tls_cert.metadata)
    tls_key: str | None = field(default=None, metadata=fields(Options).tls_key.metadata)
    insecure: bool = flag(
        "listen beyond this machine without a token or without TLS", type=bool, default=False
    )
    reflection: bool = flag("let clients list services and messages (grpcurl)", type=bool, default=False)
    shared: Options


OWN_FLAGS = tuple(flags_of(DataServerOptions).values())
# flags that may also be set by environment variables
SHARED_FLAGS = tuple(
    FLAGS[key]
    for key in (
        *("follow_symlinks", "fold", "cache_dir", "cache_size", "cache", "max_memory", "cache_preset"),
        *("disable_plugin", "plugin", "plugin_file", "verbosity"),
    )
)


def read_data_server_options(arguments: Sequence[str], environment: Mapping[str, str]) -> DataServerOptions:
    """Prints and exits (SystemExit: 0 help, 2 usage error) as argparse does."""
    parser = argparse.ArgumentParser(
        prog="insight-data-server",
        description="Serves training logs over gRPC, to insight-host and to TensorBoard.",
        allow_abbrev=False,
    )
    for each in (*OWN_FLAGS, *SHARED_FLAGS):
        each.add_to(parser)
    parser.add_argument("-v", "--verbose", action="count", default=0, help="log more; twice: everything")
    parser.add_argument("-V", "--version", action="store_true", help="print the version and exit")
    given = vars(parser.parse_args(with_hyphens(arguments)))
    if given["version"]:
        from insight_core.cli.version import version_text

        print(version_text())
        parser.exit(0)
    own, origins = flag_values(parser, given, OWN_FLAGS, {})
    for name in ("host", "port", "port_file"):
        if own["unix_socket"] and name in origins:
            parser.error(f"{origins[name]} cannot be combined with --unix-socket")
    if not own["token"] and own["token_file"]:
        parser.error("--token-file cannot be combined with --no-token")
    if own["tls_key"] and not own["tls_cert"]:
        parser.error("--tls-key needs --tls-cert")
    if own["logdir"] is None:
        parser.error("no log directory: give --logdir DIR")
    shared, _ = flag_values(parser, given, SHARED_FLAGS, environment)
    if given["verbose"]:
        shared["verbosity"] = "info" if given["verbose"] == 1 else "debug"
    return DataServerOptions(**own, shared=Options(command="data-server", **shared))
