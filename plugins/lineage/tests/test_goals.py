"""Which values of a result are better, by its name: those that tools and libraries give."""

from __future__ import annotations

import pytest
from insight_lineage.goals import goal_of, is_cost

_LOWER = {
    "here": "metric/val_loss last/test/perplexity metric/RMSE metric/eval_runtime_seconds train/loss_epoch",
    "keras": "binary_crossentropy val/categorical_crossentropy mean_squared_error mean_absolute_error",
    "xgboost": "validation-logloss mlogloss merror error@0.7 rmsle mape gamma-nloglik gamma-deviance",
    "lightgbm": "valid_0/binary_logloss multi_error cross_entropy huber smape",
    "catboost": "RMSE MultiClassLoss Logloss CrossEntropy MSLE",
    "scikit-learn": "log_loss hinge_loss hamming_loss max_error brier_score_loss davies_bouldin_score",
    "language": "nll neg_log_likelihood negative_log_likelihood ppl bits_per_byte wer val_cer edit_distance",
    "pictures": "fid fid50k_full KID LPIPS val/dice_loss IoULoss ssim_loss frechet_distance chamfer",
    "others": "bce top1_err val_error_rate false_positive_rate FPR95 fpr_at_95_tpr misclassification eer ece",
    "costs": "latency_ms time_to_accuracy seconds_per_step ms_per_token peak_gpu_mem step_time",
}
_HIGHER = {
    "here": "metric/accuracy last/reward metric/F1 val_acc accuracy/top5 loss/accuracy",
    "keras": "categorical_accuracy auc precision_at_recall f1_score r2_score",
    "scikit-learn": "balanced_accuracy roc_auc explained_variance neg_mean_squared_error neg_log_loss",
    "xgboost": "aucpr ndcg@5 map interval-regression-accuracy",
    "timm": "eval_top1 top5 prec1",
    "language": "bleu rougeL rouge1 chrf exact_match acc_norm mrr hits@10",
    "pictures": "psnr SSIM ms_ssim mIoU val/mAP50 dice inception_score",
    "reinforcement": "rollout/ep_rew_mean episode_return success_rate win_rate",
    "speeds": "train_samples_per_second samples/sec it/s throughput fps tflops mfu memory_efficiency",
    "others": "elbo log_likelihood R2 pearson cosine_similarity score",
}
_UNKNOWN = """
    value objective intermediate_value grad_norm lr learning_rate params model_size flops d_loss policy_loss
    critic_loss entropy approx_kl loss_scale loss_weight accuracy_loss_gap acc_stderr l2 energy epoch step
    neg_acc attention_entropy steps_to_converge
"""


def _named(groups: dict[str, str]) -> list[str]:
    return [name for names in groups.values() for name in names.split()]


@pytest.mark.parametrize("name", _named(_LOWER))
def test_losses_errors_and_costs_are_best_when_they_are_small(name: str) -> None:
    assert goal_of(name) == "min"


@pytest.mark.parametrize("name", _named(_HIGHER))
def test_scores_and_speeds_are_best_when_they_are_large(name: str) -> None:
    assert goal_of(name) == "max"


@pytest.mark.parametrize("name", _UNKNOWN.split())
def test_a_name_that_does_not_say_it_has_no_goal(name: str) -> None:
    assert goal_of(name) is None


def test_scikit_learn_scorers_are_best_when_they_are_large() -> None:
    """All are, by its documentation. Silence does not count as a mistake."""
    from sklearn.metrics import get_scorer_names

    goals = {name: goal_of(name) for name in get_scorer_names()}
    assert [name for name, goal in goals.items() if goal == "min"] == []
    assert sum(goal is None for goal in goals.values()) < 0.1 * len(goals)


def test_models_are_not_trained_for_times_memory_and_speeds() -> None:
    costs = "eval_runtime latency_ms peak_gpu_mem tokens_per_second it/s throughput intermediate_value"
    assert all(is_cost(name) for name in costs.split())
    assert not any(is_cost(name) for name in ("loss", "bce", "accuracy", "second_loss", "reward"))
