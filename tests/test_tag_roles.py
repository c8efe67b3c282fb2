"""The roles of scalar tags by their names, as common tools write them."""

from __future__ import annotations

import pytest

from insight_core.tag_roles import role_of

TAGS = {
    "loss": "loss train/loss Loss Train/Loss train_loss epoch_loss batch_loss trainLoss training/loss/total "
    "loss/train lm_loss nll mse train/cross_entropy",
    "val_loss": "val_loss val/loss eval/loss eval_loss Loss/validation loss/test test_loss valLoss "
    "validation/cross_entropy dev/perplexity",
    "accuracy": "acc accuracy train/accuracy train_acc top1 epoch_accuracy f1",
    "val_accuracy": "val_acc val/accuracy eval_accuracy Accuracy/test val/f1 eval/top1",
    "lr": "lr learning_rate train/learning_rate lr-Adam LearningRate lr/pg0 epoch_learning_rate",
    "grad_norm": "grad_norm train/grad_norm gradient_norm gradNorm",
    "": "d_loss loss/generator loss_D policy_loss value_loss train/entropy_loss loss_scale loss_weight "
    "kl_loss reward episode_return fps epoch step time/iter grad_norm/layer1/weight gradients flops glossary",
}


@pytest.mark.parametrize(
    ("tag", "role"), [(tag, role) for role, tags in TAGS.items() for tag in tags.split()]
)
def test_the_words_of_a_tag_say_its_role(tag: str, role: str) -> None:
    assert (role_of(tag) or "") == role


@pytest.mark.parametrize(
    ("run", "role"), [("keras/validation", "val_loss"), ("keras/train", "loss"), ("", "loss")]
)
def test_the_last_part_of_a_run_may_say_that_data_is_held_out(run: str, role: str) -> None:
    assert role_of("epoch_loss", run) == role
