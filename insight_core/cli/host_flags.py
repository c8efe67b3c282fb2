"""Definitions of all flags and commands of the host itself."""

from __future__ import annotations

from collections.abc import Mapping

from insight_core.cli.flag_types import (
    data_location,
    disk_size,
    memory_size,
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

LOGDIR = Option(
    "logdir",
    "directory of training logs, searched to any depth, or s3://BUCKET/PREFIX, gs://, az://, ssh://, hf:// "
    "(of the extra remote); repeat it for several, name one as name:DIR",
    type=nonempty,
    metavar="DIR",
    aliases=("summary-base-dir",),
    split=split_logdirs,
    default=(),
)
DATA_PROVIDER = Option(
    "data-provider",
    "data source instead of --logdir, or next to it: an insight-data-server, another server with "
    "TensorBoard's service, the URL of another host, or a location that a plugin opens; several, separated "
    "by commas, are shown as one",
    type=data_location,
    metavar="grpc://HOST:PORT",
)
DATA_PROVIDER_TOKEN_FILE = Option(
    "data-provider-token-file",
    "file whose first line is the token of the data server (default: servers of this user on this machine "
    "are found)",
    type=nonempty,
    metavar="FILE",
)
DATA_PROVIDER_CA = Option(
    "data-provider-ca",
    "certificates that may sign that of a data server at grpcs:// (PEM; default: those of the system)",
    type=nonempty,
    metavar="FILE",
)
LOAD = Option(
    "load",
    "what reads the logs: inprocess: this process (default); server: an insight-data-server, which the host "
    "starts and restarts; rust: a tensorboard-data-server for each logdir, and this process for logs of "
    "MindSpore",
    type=one_of("inprocess", "server", "rust"),
    default="inprocess",
    metavar="{inprocess,server,rust}",
)
DISABLE_PLUGIN = Option(
    "disable-plugin",
    "do not load this plugin; may be repeated",
    type=nonempty,
    metavar="NAME",
    split=split_list,
    default=(),
)
PLUGIN = Option(
    "plugin",
    "choose the plugin NAME of this distribution if several have the same name or claim, and do not start "
    "without it; may be repeated",
    type=plugin_choice,
    metavar="NAME=DISTRIBUTION",
    split=split_commas,
    default=(),
)
PLUGIN_FILE = Option(
    "plugin-file",
    "load a plugin from this Python file, which needs no package; may be repeated",
    type=python_file,
    metavar="FILE",
    split=split_list,
    default=(),
)
FOLLOW_SYMLINKS = Option(
    "follow-symlinks",
    "follow symbolic links that lead out of the logdirs; links directly in a logdir are always followed",
    type=bool,
    default=False,
)
FOLD = Option(
    "fold",
    "count what torch's add_hparams writes below a run, in a directory named by the time, in that run",
    type=bool,
    default=True,
)
SAMPLES = Option(
    "samples-per-plugin",
    "points of a series to keep, by plugin (0: all of them)",
    type=sample_counts,
    metavar="NAME=N,...",
    split=lambda text: [text],
    default=(),
)
CACHE_PRESET = Option(
    "cache-preset",
    "all: keep every point of every plugin; mindinsight: the limits that MindInsight documents "
    "(default: as each plugin says; the built-in ones keep all)",
    type=one_of("all", "mindinsight"),
    metavar="{all,mindinsight}",
)
CACHE_DIR = Option(
    "cache-dir",
    "directory of the index, which speeds up the next start (default: the user's cache directory)",
    type=nonempty,
    metavar="DIR",
)
CACHE_SIZE = Option(
    "cache-size",
    "limit of the cache on disk, as in 4G or 512M; what was not used for longest is removed (default 10G)",
    type=disk_size,
    metavar="SIZE",
)
CACHE = Option("cache", "keep an index for the next start (default)", type=bool, default=True)
STATE_DIR = Option(
    "state-dir",
    "directory for names, notes and marks of runs, and for views and other state that tabs save; hosts may "
    "share it (default: the user's state directory)",
    type=nonempty,
    metavar="DIR",
)
READ_ONLY = Option(
    "read-only", "do not save names, notes and marks of runs, nor state of tabs", type=bool, default=False
)
MAX_MEMORY = Option(
    "max-memory",
    "memory limit for numbers, as in 4G, 512M or 50%%; the rest is kept in a file in the cache directory "
    "(default: half of the memory)",
    type=memory_size,
    metavar="SIZE",
)
VERBOSITY = Option(
    "verbosity",
    "least severe messages to log: error, warning (default), info or debug",
    type=one_of("error", "warning", "info", "debug"),
    default="warning",
    metavar="LEVEL",
)
JSON = Option(
    "json",
    "print JSON",
    type=bool,
    default=False,
)
LONG = Option("long", "print hooks, claims, cache policies and routes, too", type=bool, default=False)

UNIX_SOCKET = Option(
    "unix-socket",
    "listen on a unix socket that only this user can connect to, not on a port; for ssh -L 6006:PATH",
    type=nonempty,
    metavar="PATH",
)
TLS_CERT = Option(
    "tls-cert",
    "serve over TLS with this certificate chain (PEM), which is read again when it is renewed",
    type=nonempty,
    metavar="FILE",
)
TLS_KEY = Option(
    "tls-key",
    "private key of the certificate (default: in the file of the certificate)",
    type=nonempty,
    metavar="FILE",
)

SERVE_FLAGS = (
    LOGDIR,
    DATA_PROVIDER,
    DATA_PROVIDER_TOKEN_FILE,
    DATA_PROVIDER_CA,
    LOAD,
    Option(
        "host",
        "address to listen on (default 127.0.0.1: this machine only)",
        type=nonempty,
        default="127.0.0.1",
        metavar="ADDRESS",
    ),
    Option(
        "port",
        "port (default 6006, or the next free one; 0: any free one)",
        type=port_number,
        default=None,
        metavar="PORT",
    ),
    UNIX_SOCKET,
    TLS_CERT,
    TLS_KEY,
    Option(
        "insecure",
        "listen beyond this machine without a token, TLS or a guard",
        type=bool,
        default=False,
    ),
    Option(
        "path-prefix",
        "path of the URL below which everything is served",
        type=url_prefix,
        default="",
        metavar="PATH",
        aliases=("url-path-prefix",),
    ),
    Option(
        "reload-interval",
        "seconds between checks for new data (default 1; of remote logdirs 5, and up to 60 while nothing "
        "changes; 0: load once)",
        type=seconds,
        default=1.0,
        metavar="SECONDS",
    ),
    FOLLOW_SYMLINKS,
    FOLD,
    SAMPLES,
    CACHE_PRESET,
    CACHE_DIR,
    CACHE_SIZE,
    CACHE,
    MAX_MEMORY,
    STATE_DIR,
    READ_ONLY,
    DISABLE_PLUGIN,
    PLUGIN,
    PLUGIN_FILE,
    Option("window-title", "title of the browser window", type=str, default="", metavar="TEXT"),
    Option(
        "allowed-host",
        "further host name that browsers may use for this host; may be repeated",
        type=nonempty,
        default=(),
        metavar="NAME",
        split=split_commas,
    ),
    Option(
        "frame-ancestor",
        "further site whose pages may show this host in a frame, like https://example.org; may be repeated",
        type=page_source,
        default=(),
        metavar="ORIGIN",
        split=split_commas,
    ),
    Option(
        "watch-front-ends",
        "show a tab again when a file of its front end changes, for authors of plugins",
        type=bool,
        default=False,
    ),
    Option(
        "open",
        "open the page in a browser",
        type=bool,
        default=False,
    ),
    VERBOSITY,
)
INSPECT_FLAGS = (
    LOGDIR,
    FOLLOW_SYMLINKS,
    FOLD,
    CACHE_DIR,
    CACHE,
    JSON,
    DISABLE_PLUGIN,
    PLUGIN,
    PLUGIN_FILE,
    VERBOSITY,
)
CACHE_FLAGS = (CACHE_DIR, JSON, VERBOSITY)
PLUGINS_FLAGS = (JSON, LONG, DISABLE_PLUGIN, PLUGIN, PLUGIN_FILE, SAMPLES, CACHE_PRESET, VERBOSITY)

# without those of plugin modules
COMMANDS: Mapping[str, tuple[tuple[Option, ...], str]] = {
    "serve": (SERVE_FLAGS, "serve logs to a browser (the command when none is given)"),
    "plugins": (PLUGINS_FLAGS, "list plugins, and why some failed to load"),
    "cache info": (CACHE_FLAGS, "print size and location of the cache"),
    "cache clear": (CACHE_FLAGS, "delete the cache"),
}
