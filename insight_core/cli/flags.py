"""The flags of the host, each declared once: its parser, variable, help and page follow from that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attrs import field, fields, frozen

from insight_core.cli.flag_types import (
    data_location,
    disk_size,
    memory_size,
    merged_counts,
    nonempty,
    one_of,
    page_source,
    plugin_choice,
    port_number,
    python_file,
    sample_counts,
    seconds,
    split_commas,
    split_list,
    split_logdirs,
    url_prefix,
)
from insight_core.plugin import Option

if TYPE_CHECKING:
    from insight_core.registry import Registry


def flag(
    help: str,
    *,
    type: Callable[[str], Any] = nonempty,
    default: Any = None,  # noqa: ANN401
    collect: Callable[[Any], Any] | None = None,
    metavar: str | None = None,
    aliases: tuple[str, ...] = (),
    split: Callable[[str], Sequence[str]] | None = None,
) -> Any:  # noqa: ANN401
    """A field of options that is a flag of its name; see ``Option``.

    ``collect`` makes one value of those of a flag that may be repeated.
    """
    declared = partial(
        Option, help=help, type=type, default=default, metavar=metavar, aliases=aliases, split=split
    )
    return field(default=default, converter=collect, metadata={Option: declared})


def flags_of(options: type) -> Mapping[str, Option]:
    """The flags that the fields of a class of options declare, by key and in their order."""
    return {one.name: one.metadata[Option](one.name) for one in fields(options) if Option in one.metadata}


@frozen(kw_only=True)
class Options:
    """Flags by name; those that the command does not have keep their default. ``port`` None: not given."""

    command: str
    logdir: tuple[str, ...] = flag(
        "directory of training logs, searched to any depth, or s3://BUCKET/PREFIX, gs://, az://, ssh://, "
        "hf:// (of the extra remote); repeat it for several, name one as name:DIR",
        default=(),
        metavar="DIR",
        aliases=("summary-base-dir",),
        split=split_logdirs,
        collect=tuple,
    )
    data_provider: str | None = flag(
        "data source instead of --logdir, or next to it: an insight-data-server, another server with "
        "TensorBoard's service, the URL of another host, or a location that a plugin opens; several, "
        "separated by commas, are shown as one",
        type=data_location,
        metavar="grpc://HOST:PORT",
    )  # a location: grpc://HOST:PORT
    data_provider_token_file: str | None = flag(
        "file whose first line is the token of the data server (default: servers of this user on this "
        "machine are found)",
        metavar="FILE",
    )
    data_provider_ca: str | None = flag(
        "certificates that may sign that of a data server at grpcs:// (PEM; default: those of the system)",
        metavar="FILE",
    )
    load: str = flag(
        "what reads the logs: inprocess: this process (default); server: an insight-data-server, which the "
        "host starts and restarts; rust: a tensorboard-data-server for each logdir, and this process for "
        "logs of MindSpore",
        type=one_of("inprocess", "server", "rust"),
        default="inprocess",
        metavar="{inprocess,server,rust}",
    )
    host: str = flag(
        "address to listen on (default 127.0.0.1: this machine only)", default="127.0.0.1", metavar="ADDRESS"
    )
    port: int | None = flag(
        "port (default 6006, or the next free one; 0: any free one)", type=port_number, metavar="PORT"
    )
    unix_socket: str | None = flag(
        "listen on a unix socket that only this user can connect to, not on a port; for ssh -L 6006:PATH",
        metavar="PATH",
    )
    tls_cert: str | None = flag(
        "serve over TLS with this certificate chain (PEM), which is read again when it is renewed",
        metavar="FILE",
    )
    tls_key: str | None = flag(
        "private key of the certificate (default: in the file of the certificate)", metavar="FILE"
    )
    insecure: bool = flag(
        "listen beyond this machine without a token, TLS or a guard", type=bool, default=False
    )
    path_prefix: str = flag(
        "path of the URL below which everything is served",
        type=url_prefix,
        default="",
        metavar="PATH",
        aliases=("url-path-prefix",),
    )
    reload_interval: float = flag(
        "seconds between checks for new data (default 1; of remote logdirs 5, and up to 60 while nothing "
        "changes; 0: load once)",
        type=seconds,
        default=1.0,
        metavar="SECONDS",
    )
    follow_symlinks: bool = flag(
        "follow symbolic links that lead out of the logdirs; links directly in a logdir are always followed",
        type=bool,
        default=False,
    )
    fold: bool = flag(
        "count what torch's add_hparams writes below a run, in a directory named by the time, in that run",
        type=bool,
        default=True,
    )
    samples_per_plugin: Mapping[str, int] = flag(
        "points of a series to keep, by plugin (0: all of them)",
        type=sample_counts,
        default=(),
        metavar="NAME=N,...",
        split=lambda text: [text],
        collect=merged_counts,
    )
    cache_preset: str | None = flag(
        "all: keep every point of every plugin; mindinsight: the limits that MindInsight documents "
        "(default: as each plugin says; the built-in ones keep all)",
        type=one_of("all", "mindinsight"),
        metavar="{all,mindinsight}",
    )
    cache_dir: str | None = flag(
        "directory of the index, which speeds up the next start (default: the user's cache directory)",
        metavar="DIR",
    )
    cache_size: int | None = flag(
        "limit of the cache on disk, as in 4G or 512M; what was not used for longest is removed (default "
        "10G)",
        type=disk_size,
        metavar="SIZE",
    )  # bytes
    cache: bool = flag("keep an index for the next start (default)", type=bool, default=True)
    max_memory: int | None = flag(
        "memory limit for numbers, as in 4G, 512M or 50%%; the rest is kept in a file in the cache directory "
        "(default: half of the memory)",
        type=memory_size,
        metavar="SIZE",
    )  # bytes
    state_dir: str | None = flag(
        "directory for names, notes and marks of runs, and for views and other state that tabs save; hosts "
        "may share it (default: the user's state directory)",
        metavar="DIR",
    )
    read_only: bool = flag(
        "do not save names, notes and marks of runs, nor state of tabs", type=bool, default=False
    )
    disable_plugin: tuple[str, ...] = flag(
        "do not load this plugin; may be repeated",
        default=(),
        metavar="NAME",
        split=split_list,
        collect=tuple,
    )
    plugin: Mapping[str, str] = flag(
        "choose the plugin NAME of this distribution if several have the same name or claim, and do not "
        "start without it; may be repeated",
        type=plugin_choice,
        default=(),
        metavar="NAME=DISTRIBUTION",
        split=split_commas,
        collect=dict,
    )  # distributions by name
    plugin_file: tuple[str, ...] = flag(
        "load a plugin from this Python file, which needs no package; may be repeated",
        type=python_file,
        default=(),
        metavar="FILE",
        split=split_list,
        collect=tuple,
    )  # absolute paths
    window_title: str = flag("title of the browser window", type=str, default="", metavar="TEXT")
    allowed_host: tuple[str, ...] = flag(
        "further host name that browsers may use for this host; may be repeated",
        default=(),
        metavar="NAME",
        split=split_commas,
        collect=tuple,
    )
    frame_ancestor: tuple[str, ...] = flag(
        "further site whose pages may show this host in a frame, like https://example.org; may be repeated",
        type=page_source,
        default=(),
        metavar="ORIGIN",
        split=split_commas,
        collect=tuple,
    )
    watch_front_ends: bool = flag(
        "show a tab again when a file of its front end changes, for authors of plugins",
        type=bool,
        default=False,
    )
    open: bool = flag("open the page in a browser", type=bool, default=False)
    verbosity: str = flag(
        "least severe messages to log: error, warning (default), info or debug",
        type=one_of("error", "warning", "info", "debug"),
        default="warning",
        metavar="LEVEL",
    )
    json: bool = flag("print JSON", type=bool, default=False)
    long: bool = flag("print hooks, claims, cache policies and routes, too", type=bool, default=False)
    origins: Mapping[str, str] = MappingProxyType({})  # the flag or variable that set each value, by name
    registry: Registry | None = field(default=None, eq=False)  # if parsing had to load the plugins

    def origin(self, name: str) -> str:
        """The flag or variable that set an option, for messages; the flag's name by default."""
        return self.origins.get(name, "--" + name.replace("_", "-"))


FLAGS = flags_of(Options)


def _named(keys: str) -> tuple[Option, ...]:
    return tuple(FLAGS[key] for key in keys.split())


SERVE_FLAGS = tuple(one for key, one in FLAGS.items() if key not in ("json", "long"))
INSPECT_FLAGS = _named(
    "logdir follow_symlinks fold cache_dir cache json disable_plugin plugin plugin_file verbosity"
)
_CACHE_FLAGS = _named("cache_dir json verbosity")
_PLUGINS_FLAGS = _named(
    "json long disable_plugin plugin plugin_file samples_per_plugin cache_preset verbosity"
)

# without those of plugin modules
COMMANDS: Mapping[str, tuple[tuple[Option, ...], str]] = {
    "serve": (SERVE_FLAGS, "serve logs to a browser (the command when none is given)"),
    "plugins": (_PLUGINS_FLAGS, "list plugins, and why some failed to load"),
    "cache info": (_CACHE_FLAGS, "print size and location of the cache"),
    "cache clear": (_CACHE_FLAGS, "delete the cache"),
}
