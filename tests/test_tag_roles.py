"""The roles of scalar tags by their names, as common tools write them."""

from __future__ import annotations

import pytest

from insight_core.tag_roles import role_of, training_runs

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
    "kl_loss reward episode_return fps epoch step time/iter grad_norm/layer1/weight gradients flops glossary "
    "acc_stderr",
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


def test_runs_of_held_out_data_know_the_names_of_their_training() -> None:
    assert training_runs("fit/validation") == ["fit/train", "fit/training", "fit"]
    assert training_runs("validation") == ["train", "training", "."]
    assert training_runs("a/loss_val") == ["a/loss_train", "a/loss_training"]
    assert training_runs("a/Test") == ["a/Train", "a/Training", "a"]
    assert training_runs("fit/train") == []


def test_a_line_of_add_scalars_is_held_out_by_the_name_of_its_run() -> None:
    assert role_of("loss", "logs/loss_val") == "val_loss"
    assert role_of("train/loss", "logs/train_loss_test") == "val_loss"
    assert role_of("loss", "logs/loss_train") == "loss"
    assert role_of("loss", "logs/validate_me") == "loss"
