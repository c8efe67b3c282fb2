"""Texts of reasons by locale: what a module contributes by ``insight_messages``."""

from __future__ import annotations

import errno
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import field, frozen

from insight_core.checks import TEXT, check_texts

REASON_PREFIX = "reason."  # of the keys of texts for codes of reasons
_OLD = "error."  # the same in the last release


def _with_new_keys(texts: Mapping[str, str]) -> Mapping[str, str]:
    """Keys of the last release, ``error.<code>``, as ``reason.<code>``; anything else as it is."""
    if not isinstance(texts, Mapping) or not any(map(_is_old, texts)):
        return texts
    warnings.warn(
        f"keys of Messages that begin with {_OLD!r} are deprecated: write {REASON_PREFIX!r}",
        DeprecationWarning,
        stacklevel=3,
    )
    renamed = {f"{REASON_PREFIX}{key.removeprefix(_OLD)}": texts[key] for key in texts if _is_old(key)}
    return {**renamed, **{key: texts[key] for key in texts if not _is_old(key)}}


def _is_old(key: object) -> bool:
    return isinstance(key, str) and key.startswith(_OLD)


@frozen
class Messages:
    """Texts of a locale for the codes of ``Reason``, for what the page shows outside of the tab: damage.

    Parameters
    ----------
    locale : str
        ``zh-CN``, or ``en`` for other words than those of the reason.
    texts : mapping of str to str
        By ``reason.<code>``; ``{name}`` stands for a detail. The first plugin with a text for a code gives
        it. Keys that begin with ``error.`` are deprecated.
    """

    locale: str = field(validator=TEXT)
    texts: Mapping[str, str] = field(converter=_with_new_keys, validator=check_texts)

    @classmethod
    def of(cls, folder: Path) -> Sequence[Messages]:
        """Those in the files ``<locale>.json`` of a folder, which may hold all texts of the tab as well.

        Raises OSError, also for a folder without such a file, ValueError, and TypeError for a file that is
        no object of texts.
        """
        paths = sorted(folder.glob("*.json"))
        if not paths:
            raise FileNotFoundError(errno.ENOENT, "no texts such as zh-CN.json", str(folder))
        return [cls._of_reasons(path) for path in paths]

    @classmethod
    def _of_reasons(cls, path: Path) -> Messages:
        whole = cls.read(path.stem, path)
        return cls(path.stem, {key: whole.texts[key] for key in whole.texts if key.startswith(REASON_PREFIX)})

    @classmethod
    def read(cls, locale: str, path: Path) -> Messages:
        """Reads a JSON file. Raises OSError, ValueError, and TypeError unless it holds an object of texts.

        Groups of texts, ``{"tab": {...}, "reasons": {...}}``, each loaded by its part of the page, are one.
        """
        texts = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(texts, Mapping) and all(isinstance(group, Mapping) for group in texts.values()):
            texts = {key: text for group in texts.values() for key, text in group.items()}
        return cls(locale, texts)

    @staticmethod
    def said_in(answer: object, given: Iterable[Messages]) -> dict[str, dict[str, str]]:
        """Texts by locale and key for the codes that occur in an answer: JSON values with ``Reason.fields``.

        The first of ``given`` with a text for a code gives it.
        """
        keys = {f"{REASON_PREFIX}{code}" for code in _codes(answer)}
        found: dict[str, dict[str, str]] = {}
        for one in given if keys else ():
            texts = {key: one.texts[key] for key in keys & one.texts.keys()}
            if texts:
                found[one.locale] = {**texts, **found.get(one.locale, {})}
        return found


def _codes(answer: object) -> Iterator[str]:
    """The codes in JSON values, at any depth."""
    if isinstance(answer, Mapping):
        if isinstance(code := answer.get("code"), str):
            yield code
        answer = answer.values()
    elif isinstance(answer, str) or not isinstance(answer, Iterable):
        return
    for value in answer:
        yield from _codes(value)
