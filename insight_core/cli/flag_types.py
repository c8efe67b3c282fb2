"""Parses the values of flags. Functions raise ArgumentTypeError with the reason."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from insight_core.machine import physical_memory


def port_number(text: str) -> int:
    """A port from 0 to 65535."""
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port number from 0 to 65535")
    return int(text)


def seconds(text: str) -> float:
    """A finite number of seconds, 0 or more."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, 0 or more")
    return value


def memory_size(text: str) -> int:
    """Bytes out of ``4G``, ``512M`` (powers of 1024), ``1000000`` or, of this machine's memory, ``50%``."""
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*(?:([kmgt])?(?:i?b)?|(%))", text.strip().lower())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size like 4G, 512M or 50%")
    number, unit, percent = match.groups()
    factor = physical_memory() / 100 if percent else 1024 ** (" kmgt".index(unit) if unit else 0)
    size = int(float(number) * factor)
    if size <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is less than one byte")
    return size


def disk_size(text: str) -> int:
    """Bytes out of ``4G``, ``512M`` (powers of 1024) or ``1000000``."""
    if "%" in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size like 4G or 512M")
    return memory_size(text)


def data_location(text: str) -> str:
    """A location with a scheme, which the plugin modules are asked to open."""
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:[^0-9]", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a location like grpc://HOST:PORT")
    return text


def url_prefix(text: str) -> str:
    """``/a/b`` out of ``a/b``, ``/a/b`` or ``/a/b/``; empty for the root."""
    parts = [part for part in text.split("/") if part]
    if any(part in {".", ".."} or not re.fullmatch(r"[A-Za-z0-9._~!$&'()*+,;=:@-]+", part) for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not the path of a URL")
    return "".join(f"/{part}" for part in parts)


def sample_counts(text: str) -> dict[str, int]:
    """``{"image": 10, "scalar": 0}`` out of ``image=10,scalar=0``."""
    counts = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, count = (piece.strip() for piece in part.partition("="))
        if not (name and equals and re.fullmatch(r"[0-9]{1,18}", count)):
            raise argparse.ArgumentTypeError(
                f"{part!r} is not of the form name=N, with N points to keep (0: all)"
            )
        counts[name] = int(count)
    return counts


def plugin_choice(text: str) -> tuple[str, str]:
    """``("notes", "some-dist")`` out of ``notes=some-dist``."""
    name, equals, distribution = (part.strip() for part in text.partition("="))
    if not (name and equals and distribution):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=DISTRIBUTION")
    return name, distribution


def python_file(text: str) -> str:
    """The absolute path of a Python file that can be imported by its name."""
    path = Path(text).absolute()
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a Python file with the name of a module: my_plugin.py"
        )
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"{text!r}: the file does not exist")
    return str(path)


def page_source(text: str) -> str:
    """A source as in a Content-Security-Policy: a scheme with its colon, or an origin."""
    if not re.fullmatch(r"\*|[a-z][a-z0-9+.-]*:|([a-z][a-z0-9+.-]*://)?[A-Za-z0-9.*-]+(:([0-9]+|\*))?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not an origin like https://example.org:8443")
    return text


def nonempty(text: str) -> str:
    """Text that is not empty."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty")
    return text


def one_of(*words: str) -> Callable[[str], str]:
    """A converter that accepts one of these words, in any case."""

    def convert(text: str) -> str:
        if text.lower() not in words:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(words)}")
        return text.lower()

    return convert


def split_list(text: str) -> Sequence[str]:
    """The parts between commas or path separators, stripped, without empty ones."""
    return [part.strip() for part in re.split(rf"[,{re.escape(os.pathsep)}]", text) if part.strip()]


def split_commas(text: str) -> Sequence[str]:
    """The parts between commas, stripped, without empty ones."""
    return [part.strip() for part in text.split(",") if part.strip()]


def split_logdirs(text: str) -> Sequence[str]:
    """Like split_list, except that the colon of ``name:DIR`` stays: a name has no slash in it.

    Only commas separate the location of a remote store, which has colons, from others.
    """
    parts: list[str] = []
    for listed in split_commas(text):
        if "://" in listed:
            parts.append(listed)
            continue
        pieces = listed.split(os.pathsep)
        while pieces:
            piece = pieces.pop(0)
            if os.pathsep == ":" and pieces and pieces[0] and is_logdir_name(piece):
                piece = f"{piece}:{pieces.pop(0)}"
            if piece:
                parts.append(piece)
    return parts


def is_logdir_name(text: str) -> bool:
    """Whether the text before a colon is a name, not the beginning of a path."""
    return bool(text) and not text.startswith((".", "~")) and "/" not in text and os.sep not in text


def merged_counts(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The values of a repeated flag; for each name the last one counts."""
    return {name: count for mapping in counts for name, count in mapping.items()}


def with_hyphens(arguments: Sequence[str]) -> list[str]:
    """``--like_this=a_b`` to ``--like-this=a_b``."""
    result = []
    for argument in arguments:
        name, equals, value = argument.partition("=")
        is_flag = name.startswith("--") and " " not in name
        result.append(name.replace("_", "-") + equals + value if is_flag else argument)
    return result


def without_token(location: str) -> str:
    """The location of a data source as it may be shown and kept: the URL of a host may contain a token."""
    return re.sub(r"([?&])token=[^&#]*&?", r"\1", location).rstrip("?&")
