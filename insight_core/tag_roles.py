"""Roles of scalar tags, such as training loss or learning rate, found by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

TagRole: TypeAlias = Literal[
    "loss", "val_loss", "accuracy", "val_accuracy", "lr", "grad_norm"
]  # What the values of a tag are. Tags with other values have no role.
TAG_ROLES: tuple[TagRole, ...] = get_args(TagRole)  # All roles.

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SCORE = re.compile(r"(?<![A-Za-z])(f1|top-?1)(?![0-9])", re.I)
_HELD_OUT = frozenset({"val", "valid", "validation", "eval", "evaluation", "test", "dev", "heldout"})
_OF_HELD_OUT: Mapping[TagRole | None, TagRole] = {"loss": "val_loss", "accuracy": "val_accuracy"}
_ACCURACY = frozenset({"acc", "accuracy", "precision", "recall", "auc", "map", "miou", "iou"})
_LOSS = frozenset({"loss", "nll", "perplexity", "ppl", "mse", "rmse", "mae", "ce", "crossentropy"})
_GRADIENT = frozenset({"grad", "grads", "gradient", "gradients"})
# losses that need not fall: of adversaries, of reinforcement learning, weights or scales of a loss, and
# terms that hold another one back: they rise from 0, or stay where they should be
_NOT_MINIMISED = frozenset(
    {
        *("d", "g", "gen", "generator", "disc", "discriminator", "critic", "actor", "adv"),
        *("adversarial", "gan"),
        *("policy", "value", "entropy", "q", "td", "kl", "advantage", "reward", "return", "rl", "ppo", "sac"),
        *("scale", "scaler", "weight", "coef", "coefficient"),
        *("kld", "reg", "regularization", "regularisation", "regularizer", "regulariser", "penalty"),
        *("commit", "commitment", "codebook", "vq", "aux", "auxiliary", "balance", "balancing", "router"),
    }
)


def words_of(tag: str) -> list[str]:
    """The words of a tag in their order, in small letters: of ``valLoss/step_2`` val, loss, step and 2."""
    return [word.lower() for word in _WORDS.findall(tag)]


def is_held_out(tag: str, run: str = "") -> bool:
    """Whether a tag is of data that the training does not see, by its words or the last part of the run's
    name."""
    last = run.rpartition("/")[2].lower()
    of_tag = tag.replace("/", "_").lower() + "_"  # add_scalars has a run for each line: loss_val
    own = _WORDS.findall(last.removeprefix(of_tag)) if last.startswith(of_tag) else [last]
    return not _HELD_OUT.isdisjoint((*words_of(tag), *own))


def role_of(tag: str, run: str = "") -> TagRole | None:
    """The role of a tag by its words and the last part of the run's name; None for any other tag.

    ``train/loss``, ``Loss`` and ``epoch_loss`` are losses; ``val_loss``, ``loss/test`` and, as Keras writes
    it, ``epoch_loss`` of a run ``…/validation`` are losses of held-out data. Losses that need not fall, as
    those of adversaries (``d_loss``), of reinforcement learning (``policy_loss``) and of regularisation
    (``kl_loss``, ``commitment_loss``, ``aux_loss``), have no role, nor have standard errors (``acc_stderr``).
    """
    role = _role_by_words(tag)
    return _OF_HELD_OUT[role] if role in _OF_HELD_OUT and is_held_out(tag, run) else role


@lru_cache(maxsize=1 << 16)  # most runs have the tags of others
def _role_by_words(tag: str) -> TagRole | None:
    """The role of a tag of the training."""
    known = set(words_of(tag))
    if "stderr" in known:
        return None
    if known & _GRADIENT:
        is_whole = not known & {"layer", "weight", "bias"} and "norm" in known
        return "grad_norm" if is_whole else None
    if "lr" in known or ("learning" in known and "rate" in known):
        return "lr"
    if known & _LOSS or ("cross" in known and "entropy" in known):
        known -= {"entropy"} if "cross" in known else set()
        return None if known & _NOT_MINIMISED else "loss"
    if known & _ACCURACY or _SCORE.search(tag):
        return "accuracy"
    return None


def training_runs(run: str) -> list[str]:
    """The names that the run of the training may have, to which a run of held-out data belongs.

    ``fit/validation`` belongs to ``fit/train`` (Keras), ``model/eval`` to ``model`` (Estimator), and
    ``loss_val`` to ``loss_train`` (add_scalars). Empty for a run of another name.
    """
    above, _, last = run.rpartition("/")
    words = [match for match in _WORDS.finditer(last) if match[0].lower() in _HELD_OUT]
    if not words:
        return []
    word = words[-1]
    found = []
    for name in ("train", "training"):
        name = name.capitalize() if word[0][0].isupper() else name
        found.append(last[: word.start()] + name + last[word.end() :])
    found = [f"{above}/{name}" if above else name for name in found]
    return [*found, above or "."] if word[0] == last else found


def roles_of(run: str, tags: Iterable[str], given: Mapping[str, str]) -> Mapping[TagRole, Sequence[str]]:
    """The tags of a run by role, in their order.

    ``given`` maps tags to roles that replace those of their names; any text that is not a role is none.
    """
    found: dict[TagRole, list[str]] = {role: [] for role in TAG_ROLES}
    for tag in tags:
        role = (
            next((one for one in TAG_ROLES if one == given[tag]), None) if tag in given else role_of(tag, run)
        )
        if role is not None:
            found[role].append(tag)
    return found
