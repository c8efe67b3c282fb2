"""The flags and commands of the host itself: each is spelled once."""

from __future__ import annotations

from collections.abc import Mapping

from insight_core.cli.flags import (
    data_location,
    memory_size,
    nonempty,
    one_of,
    page_source,
    plugin_choice,
    port_number,
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
    "directory of training logs, searched to any depth; repeat it for several, name one as name:DIR",
    type=nonempty,
    metavar="DIR",
    aliases=("summary-base-dir",),
    split=split_logdirs,
    default=(),
)
DATA_PROVIDER = Option(
    "data-provider",
    "data source to ask instead of reading logs: an insight-data-server, any other with the service of "
    "TensorBoard, or a location that a plugin opens",
    type=data_location,
    metavar="grpc://HOST:PORT",
)
LOAD = Option(
    "load",
    "who reads the logs: inprocess: this process (default); server: an insight-data-server, started and kept "
    "alive; rust: a tensorboard-data-server for each logdir, and this process what MindSpore wrote",
    type=one_of("inprocess", "server", "rust"),
    default="inprocess",
    metavar="{inprocess,server,rust}",
)
DISABLE_PLUGIN = Option(
    "disable-plugin",
    "leave this plugin out; may be repeated",
    type=nonempty,
    metavar="NAME",
    split=split_list,
    default=(),
)
PLUGIN = Option(
    "plugin",
    "take the plugin NAME from this distribution, where several have one name or one claim, and never start "
    "without it; may be repeated",
    type=plugin_choice,
    metavar="NAME=DISTRIBUTION",
    split=split_commas,
    default=(),
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
    "where what was read is kept for the next start (default: the user's cache directory)",
    type=nonempty,
    metavar="DIR",
)
CACHE = Option("cache", "keep what was read for the next start (default)", type=bool, default=True)
STATE_DIR = Option(
    "state-dir",
    "where names and notes of runs are kept, for several hosts too (default: the user's state directory)",
    type=nonempty,
    metavar="DIR",
)
READ_ONLY = Option("read-only", "let nobody write names and notes of runs", type=bool, default=False)
MAX_MEMORY = Option(
    "max-memory",
    "memory for columns, as in 4G, 512M or 50%%; the rest lies in a file in the cache directory "
    "(default: half of the memory)",
    type=memory_size,
    metavar="SIZE",
)
VERBOSITY = Option(
    "verbosity",
    "what is logged to the terminal: error, warning (default), info or debug",
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

SERVE_FLAGS = (
    LOGDIR,
    DATA_PROVIDER,
    LOAD,
    Option(
        "host",
        "address to listen at (default 127.0.0.1: this machine only)",
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
        "seconds between looks for new data (default 1; 0: load once)",
        type=seconds,
        default=1.0,
        metavar="SECONDS",
    ),
    SAMPLES,
    CACHE_PRESET,
    CACHE_DIR,
    CACHE,
    MAX_MEMORY,
    STATE_DIR,
    READ_ONLY,
    DISABLE_PLUGIN,
    PLUGIN,
    Option("window-title", "title of the browser window", type=str, default="", metavar="TEXT"),
    Option(
        "allowed-host",
        "name by which browsers may address this host, besides its own; may be repeated",
        type=nonempty,
        default=(),
        metavar="NAME",
        split=split_commas,
    ),
    Option(
        "frame-ancestor",
        "site whose pages may show this host in a frame, besides its own, like https://example.org; may be "
        "repeated",
        type=page_source,
        default=(),
        metavar="ORIGIN",
        split=split_commas,
    ),
    Option(
        "open",
        "open the page in a browser",
        type=bool,
        default=False,
    ),
    VERBOSITY,
)
INSPECT_FLAGS = (LOGDIR, JSON, DISABLE_PLUGIN, PLUGIN, VERBOSITY)
CACHE_FLAGS = (CACHE_DIR, JSON, VERBOSITY)
PLUGINS_FLAGS = (JSON, DISABLE_PLUGIN, PLUGIN, SAMPLES, CACHE_PRESET, VERBOSITY)

# besides those of plugin modules
COMMANDS: Mapping[str, tuple[tuple[Option, ...], str]] = {
    "serve": (SERVE_FLAGS, "serve logs to a browser (the command when none is given)"),
    "plugins": (PLUGINS_FLAGS, "list the plugins, and why others failed to load"),
    "cache info": (CACHE_FLAGS, "say what is kept for the next start, and where"),
    "cache clear": (CACHE_FLAGS, "delete what is kept for the next start"),
}
