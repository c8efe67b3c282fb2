"""Whether a result is better when it is large or when it is small, by the words of its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from insight_core.plugin.lab import role_of

Goal: TypeAlias = Literal["min", "max"]

# `r2` and `F1` are words, `top`, `1` and `mAP`, `50` are two each
_WORDS = re.compile(
    r"(?<![A-Za-z])[a-z][0-9](?![0-9])|(?<![A-Z])[A-Z][0-9](?![0-9])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LOSSES = _words("loss losses")
_COSTS = _words("time runtime latency duration seconds secs sec minutes hours ms memory mem vram cost costs")
_ENDS = ("loss", "error", "crossentropy")  # of long words that are losses: `mlogloss`
_SMALL = _LOSSES | _COSTS
_SMALL |= _words("err error errors perplexity ppl nll nelbo ce bce xent logloss nloglik deviance hinge huber")
_SMALL |= _words("mse rmse mae mape smape msle rmsle wape mase rmsd crossentropy logcosh pinball")
_SMALL |= _words("bpc bpb bpd wer cer ter mer eer epe mcd ade fde ece brier regret chamfer levenshtein")
_SMALL |= _words("fid kid fvd fad lpips mmd emd kld jsd divergence distortion frechet hausdorff wasserstein")
_SMALL |= _words("misclassification misclassified miss fpr fnr false bouldin")
_SPEEDS = _words("throughput fps qps tflops mfu hfu speedup")
_LARGE = _SPEEDS | _words("acc accuracy prec precision recall sensitivity specificity tpr tnr auc auroc roc")
_LARGE |= _words("auprc aupr aucpr f1 f2 fbeta fscore fmeasure r2 mcc kappa jaccard map ap iou miou dice")
_LARGE |= _words("mrr ndcg hit hits match em correct bleu sacrebleu rouge meteor cider chrf bleurt comet")
_LARGE |= _words("psnr snr ssim pesq stoi sdr elbo likelihood loglik loglikelihood silhouette similarity")
_LARGE |= _words("correlation corr corrcoef pearson spearman spearmanr kendall efficiency fitness")
_LARGE |= _words("reward rewards rew return returns success win wins winrate elo mota hota")
_PERHAPS_LARGE = _words("score scores top")  # unless another word says something: `fid_score`
_NO_RESULT = _words(
    "weight scale scaler coef coefficient penalty gap diff difference drop ratio std stddev var"
)
_NO_RESULT |= _words("stderr threshold slope change reduction improvement lr grad grads gradient gradients")
_NO_TARGETS = _COSTS | _SPEEDS | {"intermediate"}
_NEGATIVE = _words("neg negative")
_PHRASES = {  # words that say something else together
    "bits per": "bpd",
    "explained variance": "r2",
    "cross entropy": "crossentropy",
    "edit distance": "levenshtein",
    "io u": "iou",
    "d2 absolute error": "r2",
    "d2 brier": "r2",
    "d2 log loss": "r2",
    "neg log likelihood": "nll",
    "negative log likelihood": "nll",
    "neg elbo": "nelbo",
    "negative elbo": "nelbo",
}
_UNLESS_LAST = _words("to per at")  # what follows is not a result: `time_to_accuracy`, `fpr_at_95_tpr`
_COUNTED = re.compile(
    r"(?<![a-z])(it|its|iters|steps|samples|images|imgs|tok|toks|tokens|examples|batches|frames)/s(?=$|ec)",
    re.I,
)
_SCORERS = re.compile(r"neg (mean|median|root mean|max|log loss|brier)")  # of scikit-learn
_PER_TIME = re.compile(r"per (s|sec|secs|second|seconds|minute|hour)( |$)")


@lru_cache(1 << 14)
def goal_of(name: str) -> Goal | None:
    """``min`` for losses, errors, times and costs, ``max`` for scores and speeds; None if no word says it.

    The last word that says something counts, as in ``dice_loss`` and ``error/accuracy``. scikit-learn's
    ``neg_mean_squared_error`` is the opposite of an error.
    """
    words, role = _words_of(name), role_of(name)
    if role in ("lr", "grad_norm") or _NO_RESULT.intersection(words):
        return None
    end = next((at for at, word in enumerate(words) if at and word in _UNLESS_LAST), len(words))
    result = words[:end]
    known = [word for word in result if word in _SMALL or word in _LARGE or word.endswith(_ENDS)]
    if not known:
        is_score = role in ("accuracy", "val_accuracy") or _PERHAPS_LARGE.intersection(result)
        return "max" if is_score or _is_speed(words) else None
    if known[-1] in _LOSSES and role is None:  # of an adversary, or of reinforcement learning
        return None
    if "false" in result:
        return "min"
    if _NEGATIVE.intersection(result):  # or of negative examples
        return "max" if _SCORERS.search(" ".join(result)) else None
    return "max" if known[-1] in _LARGE else "min"


@lru_cache(1 << 14)
def is_cost(name: str) -> bool:
    """Whether a name is that of a time, memory, a speed or an intermediate value.

    Models are not trained for these.
    """
    words = _words_of(name)
    is_other = _is_speed(words) or bool(_NO_TARGETS.intersection(words))
    return is_other and role_of(name) not in ("loss", "val_loss")


def _words_of(name: str) -> list[str]:
    words = _WORDS.findall(_COUNTED.sub(r"\1_per_s", name))
    text = f" {' '.join(words)} ".lower()
    for phrase, word in _PHRASES.items():
        text = text.replace(f" {phrase} ", f" {word} ")
    return text.split()


def _is_speed(words: Sequence[str]) -> bool:
    return bool(_PER_TIME.search(" ".join(words)))
