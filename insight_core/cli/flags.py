"""The flags of the command line: each is spelled once, and is also an environment variable."""

from __future__ import annotations

import argparse
import math
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import frozen

from insight_core.machine import physical_memory

ENVIRONMENT_PREFIX = "INSIGHT_HOST_"


@frozen
class Flag:
    """``convert`` turns text into the value and raises ArgumentTypeError with the reason if it cannot."""

    name: str
    help: str
    convert: Callable[[str], Any] = str
    default: Any = None
    metavar: str | None = None
    aliases: tuple[str, ...] = ()
    switch: bool = False
    split: Callable[[str], Sequence[str]] | None = None  # repeatable; how a variable lists several

    @property
    def destination(self) -> str:
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        return ENVIRONMENT_PREFIX + self.destination.upper()

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        names = [f"--{name}" for name in (self.name, *self.aliases)]
        common: dict[str, Any] = {"dest": self.destination, "default": None, "help": self.help}
        if self.switch:
            parser.add_argument(*names, action=argparse.BooleanOptionalAction, **common)
        else:
            action = "append" if self.split else "store"
            parser.add_argument(*names, action=action, type=self.convert, metavar=self.metavar, **common)

    def from_environment(self, environment: Mapping[str, str]) -> object:
        """The value that the variable gives, None without one. Errors name the variable."""
        text = environment.get(self.variable, "")
        if not text:
            return None
        try:
            if self.switch:
                return truth(text)
            if self.split:
                return [self.convert(part) for part in self.split(text)]
            return self.convert(text)
        except (argparse.ArgumentTypeError, ValueError) as error:
            raise argparse.ArgumentTypeError(f"environment variable {self.variable}: {error}") from error


def truth(text: str) -> bool:
    word = text.strip().lower()
    if word in {"1", "true", "yes", "on"}:
        return True
    if word in {"0", "false", "no", "off"}:
        return False
    raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")


def port_number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port number from 0 to 65535")
    return int(text)


def seconds(text: str) -> float:
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
        raise argparse.ArgumentTypeError(f"{text!r} leaves no memory at all")
    return size


def server_location(text: str) -> str:
    """``HOST:PORT`` out of ``grpc://HOST:PORT``."""
    scheme, separator, address = text.partition("://")
    host, colon, port = address.rpartition(":")
    if scheme != "grpc" or not (separator and host and colon) or "/" in address:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form grpc://HOST:PORT")
    return f"{host}:{port_number(port)}"


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


def page_source(text: str) -> str:
    """A source as in a Content-Security-Policy: a scheme with its colon, or an origin."""
    if not re.fullmatch(r"\*|[a-z][a-z0-9+.-]*:|([a-z][a-z0-9+.-]*://)?[A-Za-z0-9.*-]+(:([0-9]+|\*))?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not an origin like https://example.org:8443")
    return text


def plugin_flag(text: str) -> str:
    """Words of a flag as a shell has them, the first with its hyphens."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} has an open quotation") from error
    if not words or not words[0].startswith("-"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a flag such as '--name value'")
    return text


def nonempty(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("it is empty")
    return text


def one_of(*words: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text.lower() not in words:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(words)}")
        return text.lower()

    return convert


def split_list(text: str) -> Sequence[str]:
    """What commas and the separator of PATH take apart."""
    return [part.strip() for part in re.split(rf"[,{re.escape(os.pathsep)}]", text) if part.strip()]


def split_commas(text: str) -> Sequence[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def split_logdirs(text: str) -> Sequence[str]:
    """Like split_list, except that the colon of ``name:DIR`` stays: a name has no slash in it."""
    parts: list[str] = []
    for listed in split_commas(text):
        pieces = listed.split(os.pathsep)
        while pieces:
            piece = pieces.pop(0)
            if os.pathsep == ":" and pieces and pieces[0] and is_logdir_name(piece):
                piece = f"{piece}:{pieces.pop(0)}"
            if piece:
                parts.append(piece)
    return parts


def is_logdir_name(text: str) -> bool:
    return bool(text) and not text.startswith((".", "~")) and "/" not in text and os.sep not in text


def merged_counts(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """What a repeated flag says in all; the last word counts."""
    return {name: count for mapping in counts for name, count in mapping.items()}


def with_hyphens(arguments: Sequence[str]) -> list[str]:
    """``--like_this=a_b`` to ``--like-this=a_b``."""
    result = []
    for argument in arguments:
        name, equals, value = argument.partition("=")
        is_flag = name.startswith("--") and " " not in name
        result.append(name.replace("_", "-") + equals + value if is_flag else argument)
    return result
