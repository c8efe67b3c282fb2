"""What of the logs a plugin can take: values of events, and whole files by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from attrs import Attribute, converters, field, frozen

from insight_core.checks import check_function
from insight_core.formats.dialects import Dialect
from insight_core.formats.event import claimable_fields, is_nameless_field
from insight_core.references import reference

BEGINNING = 4096  # Bytes of a file that functions for FileName.makes_run and FileName.begins get.
_BETWEEN = "//"  # of a pattern, a step and a tag: no path has it


def _check_tags(claim: EventField, attribute: Attribute[str], tags: str) -> None:
    if not isinstance(tags, str) or "\n" in tags:
        raise ValueError(f"{tags!r} is not a pattern of tags")


@frozen(cache_hash=True)  # looked up for each block of each file
class EventField:
    """Claims a oneof field of a summary value (``simple_value``, ``image``) or of an event (``graph_def``)
    in one dialect.

    ``name`` may be the number of a field of MindSpore's summary values that has no name here (``"20"``); the
    payload is what the field holds, of numbers their bytes.

    With ``tags`` only values whose tag matches this pattern, which go before a claim of the whole field:
    ``*`` is any text, ``?`` one character, ``[ab0-9]`` one of these, ``[!ab]`` any other; case counts. Of
    several patterns that match the longest decides, of equally long ones that with the fewest ``*``, ``?``
    and ``[``, of these the first in the order of characters. For dialects whose values do not name a plugin.
    """

    dialect: Dialect
    name: str = field(converter=str)
    tags: str = field(default="", validator=_check_tags)

    def __str__(self) -> str:
        return f"{self.dialect}:{self.name}:{self.tags}" if self.tags else f"{self.dialect}:{self.name}"


@frozen(cache_hash=True)
class SummaryPlugin:
    """Claims tensor values whose TensorBoard summary metadata names this plugin (``scalars``, ``text``)."""

    name: str

    def __str__(self) -> str:
        return f"plugin:{self.name}"


def _check_pattern(claim: FileName, attribute: Attribute[str], pattern: str) -> None:
    names = pattern.split("/")
    if not all(names) or not {".", ".."}.isdisjoint(names):
        raise ValueError(f"the pattern {pattern!r} is not a path relative to a run")
    if any("**" in name and name != "**" for name in names):
        raise ValueError(f"the pattern {pattern!r} has ** as a part of a name")


def _check_group(claim: FileName, attribute: Attribute[str], given: str) -> None:
    if not given:  # as in most claims, of which a start makes hundreds
        return
    try:
        groups = re.compile(given).groups
    except re.error as error:
        raise ValueError(f"{given!r} is not a regular expression: {error}") from None
    if not groups or _BETWEEN in given or "\n" in given:
        what = "step in the path of a file" if attribute.name == "step" else "directory of a run"
        raise ValueError(f"{given!r} has no group that matches the {what}")


def _check_tag(claim: FileName, attribute: Attribute[str], tag: str) -> None:
    if tag and not claim.step:
        raise ValueError(f"the files of {claim.pattern!r} have one tag {tag!r} and no steps: give step= too")
    if "\n" in tag:
        raise ValueError(f"{tag!r} is not a tag")


def _function_or_bool(given: Any) -> Any:  # noqa: ANN401 - the validator checks it
    return given if isinstance(given, bool) else reference(given)


def _check_makes_run(claim: FileName, attribute: Attribute[Any], given: object) -> None:
    if not isinstance(given, bool):
        check_function(claim, attribute, given)


@frozen
class FileName:
    """Claims whole files by their names; event files excepted, which are read as such.

    ``pattern`` is compared, case and all, with the path of a file relative to a run, names separated by
    ``/``: ``*`` is any part of a name, ``?`` one character, ``[ab0-9]`` one of these, ``[!ab]`` any other,
    ``**`` any number of directories, none too (at the end: all files below). A name that begins with a dot
    is only matched by one that does.

    Of the directories above a file from which its path matches, the run is the nearest one that holds
    event files (or MindSpore's lineage or graph files), else the nearest one, which thereby is a run;
    without ``makes_run`` only if it is one anyway. ``makes_run`` may be a function, or its name
    ``"package.module:name"``, that tells by the first BEGINNING bytes of a file, and the tables of an SQLite
    database: it is asked where there is no run, once for each change of the file, and has to be fast.

    With ``beside`` a file is claimed only in runs that have a file of that name which a plugin claims, and
    not where a log format reads it: a format of several files knows its own by the file that names them.
    With ``of_run`` (``(.+)\\.log``) it belongs to the run next to it that the first group names, with
    ``run_below`` and no run around it to the only run below its directory: such tags begin with ``../``.

    With ``begins`` only files are claimed whose first BEGINNING bytes this function accepts, for formats
    whose files have any name. It is asked as ``makes_run`` is, in runs too, but not for a file that another
    pattern of the plugin matches, and no longer once it has refused many files that differ only in numbers.

    Each file is a series of its own. Its tag is its path relative to the run; it has one record of step 0,
    which is replaced when the file changes: the wall time is that of the last modification, the payload all
    bytes of the file. Several plugins may claim the same files; of several patterns of one plugin that of
    the most names between ``/`` decides, of these the longest.

    With ``step``, a regular expression such as ``epoch_(\\d+)``, files are records of one series: the first
    group of its first match in the path relative to the run is the step, a whole number. The tag is ``tag``,
    by default the path with ``*`` in the place of the step. Records are sorted by step, those of one step by
    path. A file without a step in its path is a series of its own.
    """

    pattern: str = field(validator=_check_pattern)
    makes_run: bool | Callable[[bytes], bool] = field(
        default=True,
        eq=False,
        kw_only=True,
        converter=_function_or_bool,
        validator=_check_makes_run,
    )
    beside: str = field(default="", eq=False, kw_only=True)
    begins: Callable[[bytes], bool] | None = field(
        default=None,
        eq=False,
        kw_only=True,
        converter=converters.optional(reference),
        validator=check_function,
    )
    of_run: str = field(default="", eq=False, kw_only=True, validator=_check_group)
    run_below: bool = field(default=False, eq=False, kw_only=True)
    step: str = field(default="", kw_only=True, validator=_check_group)
    tag: str = field(default="", kw_only=True, validator=_check_tag)

    def __str__(self) -> str:
        return "file:" + (_BETWEEN.join((self.pattern, self.step, self.tag)) if self.step else self.pattern)

    def place_of(self, path: str) -> tuple[str, int]:
        """The tag and the step of a file, by its path relative to the run."""
        found = re.search(self.step, path) if self.step else None
        if found is None:
            return path, 0
        try:
            step = int(found[1] or "")
        except ValueError:
            return path, 0
        if not -(1 << 63) <= step < 1 << 63:
            return path, 0
        return self.tag or f"{path[: found.start(1)]}*{path[found.end(1) :]}", step


Claim: TypeAlias = EventField | SummaryPlugin | FileName  # What a decoder reads.


def claim_of(text: str) -> Claim:
    """The claim of ``str(claim)``. Raises ValueError."""
    origin, _, name = text.partition(":")
    if origin == "plugin":
        return SummaryPlugin(name)
    if origin == "file":
        pattern, _, rest = name.partition(_BETWEEN)
        step, _, tag = rest.partition(_BETWEEN)
        return FileName(pattern, step=step, tag=tag)
    return EventField(Dialect(origin), *name.split(":", 1))


def checked_claims(given: object) -> frozenset[Claim]:
    """Converts the claims of a decoder. Raises TypeError for other values, ValueError for unknown fields."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"its claims are a {type(given).__name__}, not a set of claims")
    claims = frozenset(given)
    for claim in claims:
        if not isinstance(claim, (EventField, SummaryPlugin, FileName)):
            raise TypeError(
                f"one of its claims is a {type(claim).__name__}, not an EventField, SummaryPlugin or FileName"
            )
        if isinstance(claim, EventField):
            known = claimable_fields(Dialect(claim.dialect))
            if claim.name not in known and not is_nameless_field(Dialect(claim.dialect), claim.name):
                also = ", or the number of another field" if claim.dialect == Dialect.MINDSPORE else ""
                raise ValueError(f"{claim.dialect} has no field {claim.name!r}: {', '.join(known)}{also}")
    return claims
