"""Which files hold samples, and which of their columns is what: one declaration for each writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from attrs import field, frozen

Row: TypeAlias = Mapping[str, Any]
Layout: TypeAlias = Literal["lines", "parquet", "eval"]
Role: TypeAlias = Literal[
    "step",
    "prompt",
    "completion",
    "messages",
    "reference",
    "advantage",
    "length",
    "prompt_length",
    "group",
    "finish",
    "images",
    "said_images",
]

USUAL: Mapping[Role, Sequence[str]] = {
    "step": ("step", "global_step", "global_steps", "training_step", "iteration"),
    "prompt": ("prompt", "prompts", "input", "question", "query", "problem", "instruction"),
    "completion": (
        "completion",
        "completions",
        "output",
        "response",
        "generation",
        "generated",
        "prediction",
    ),
    "messages": ("messages", "conversation", "conversations", "trajectory", "message_log"),
    "reference": (
        "gts",
        "reference",
        "ground_truth",
        "target",
        "gold",
        "solution",
        "expected",
        "label",
        "answer",
    ),
    "advantage": ("advantage", "advantages"),
    "length": (
        *(
            "completion_length",
            "response_length",
            "completion_tokens",
            "output_tokens",
            "num_tokens",
            "length",
        ),
        *("response_token_count", "output_length"),
    ),
    "prompt_length": (
        "prompt_length",
        "prompt_tokens_count",
        "input_tokens",
        "prompt_token_count",
        "input_lengths",
    ),
    "group": ("group", "group_id", "prompt_id", "prompt_idx", "group_idx", "uid", "task_id"),
    "finish": ("finish_reason", "stop_reason", "truncated", "is_truncated"),
    "images": ("images", "image", "input_images", "prompt_images", "pixels"),
    "said_images": ("completion_images", "output_images", "generated_images", "generated_image"),
}
_FEW = 200  # columns of a row whose roles are remembered
_KEPT = 4096
# Numbers that are no scores. Any other number of a row is one, under the name of its column.
_NO_SCORES = (
    *(
        "id",
        "*_id",
        "idx",
        "*_idx",
        "index",
        "*_index",
        "seed",
        "epoch",
        "rank",
        "time",
        "timestamp",
        "*_time",
    ),
    *("created", "*_at", "schema_version", "*version*", "*token_count*", "*logprob*", "num_turns", "turn"),
)


@frozen
class SampleFormat:
    """A format of files with samples.

    ``files`` are patterns of paths, as those of FileName. Of the formats whose pattern matches, the first
    counts whose ``needs`` a row has: names of columns. ``columns`` gives names by role where they are not
    the usual ones; dots lead into objects and lists (``choices.0.message``). ``scores`` are patterns of
    columns of numbers, or objects with numbers; by default every number without another role is a score.
    ``convert`` makes a row with the usual names of a row that has none of them. ``steps`` finds the step in
    the path of the file, for rows that have none (empty: no path has it); ``source`` the name of the series
    of files in the path.
    """

    name: str
    files: Sequence[str]
    needs: Sequence[str] = ()
    columns: Mapping[Role, str] = field(factory=dict)
    scores: Sequence[str] = ()
    convert: Callable[[Row], Row] | None = None
    layout: Layout = "lines"
    steps: str = r"(\d+)(?=\.\w+$)"
    source: str = ""

    def roles(self, row: Row) -> dict[Role, Any]:
        """The values of a row by role, of those roles that it has."""
        names = tuple(row)
        known = _named(self, names) if len(names) <= _FEW else _named.__wrapped__(self, names)
        found: dict[Role, Any] = {}
        for role, name in known:
            if role not in found:
                value = row.get(name)
                if value is None and "." in name:
                    value = _at(row, name)
                if value is not None:
                    found[role] = value
        return found

    def scores_of(self, row: Row) -> Mapping[str, float]:
        """The numbers of a row that are rewards or scores, by name."""
        found: dict[str, float] = {}
        for name, value in row.items():
            kind = self._kind(name)
            if kind == 0:
                continue
            value = _single(value)
            if type(value) is float or type(value) is int or type(value) is bool:
                found[name] = float(value)
            elif kind == 2 and isinstance(value, dict):
                for key, each in value.items():
                    each = each.get("value") if isinstance(each, dict) else _single(each)
                    each = (
                        {"C": 1, "P": 0.5, "I": 0, "N": 0}.get(each, each) if isinstance(each, str) else each
                    )
                    if isinstance(each, int | float):
                        found[
                            key if name in ("rewards", "scores", "reward_components") else f"{name}/{key}"
                        ] = float(each)
        return found

    def has(self, row: Row) -> bool:
        """Whether a row is of this format."""
        return all(name in row for name in self.needs)

    def _kind(self, name: str) -> int:
        return _kind(self, name)

    def __hash__(self) -> int:
        return hash(self.name)


@lru_cache(_KEPT)
def _named(of: SampleFormat, names: Sequence[str]) -> Sequence[tuple[Role, str]]:
    """Which of the names of a row may have which role, the first ones first."""
    found: list[tuple[Role, str]] = []
    for role, usual in USUAL.items():
        tried = (of.columns[role],) if role in of.columns else usual
        found += [(role, name) for name in tried if "." in name or name in names]
    return found


@lru_cache(_KEPT)
def _kind(of: SampleFormat, name: str) -> int:
    """0: no score; 1: one if it is a number; 2: an object may hold several, too."""
    if of.scores:
        return 2 if any(fnmatchcase(name, each) for each in of.scores) else 0
    roles = {
        one for role, usual in USUAL.items() for one in ((of.columns[role],) if role in of.columns else usual)
    }
    if name in roles or any(fnmatchcase(name, each) for each in _NO_SCORES):
        return 0
    return 2 if name in ("rewards", "scores", "metrics", "reward_components", "reward_metrics") else 1


def _single(value: Any) -> Any:  # noqa: ANN401 - of JSON
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def _at(row: Any, path: str) -> Any:  # noqa: ANN401 - of JSON
    for name in path.split("."):
        if isinstance(row, dict):
            row = row.get(name)
        elif isinstance(row, list) and name.lstrip("-").isdigit() and -len(row) <= int(name) < len(row):
            row = row[int(name)]
        else:
            return None
    return row
