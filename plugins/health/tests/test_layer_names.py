"""Layers and measures by the tags that frameworks, recorders and people write."""

from __future__ import annotations

import pytest

from insight_layers.names import Name, module_of, scalar_name, values_name


@pytest.mark.parametrize(
    ("tag", "layer", "kind"),
    [
        ("conv1.weight", "conv1.weight", "weight"),
        ("gradients/conv1.weight", "conv1.weight", "gradient"),
        ("conv1.weight.grad", "conv1.weight", "gradient"),
        ("conv1.weight_grad", "conv1.weight", "gradient"),
        ("conv1.weight/grad", "conv1.weight", "gradient"),
        ("weights/fc", "fc", "weight"),
        ("grads/fc", "fc", "gradient"),
        ("weight/layers.0.wq.weight", "layers.0.wq.weight", "weight"),
        ("activations/blocks.3.mlp", "blocks.3.mlp", "activation"),
        ("act/relu1", "relu1", "activation"),
        ("dense/kernel/histogram", "dense/kernel", "weight"),
        ("dense/bias/histogram", "dense/bias", "weight"),
        ("conv1.weight/auto", "conv1.weight", "weight"),
        ("grad", "grad", "gradient"),
        ("noise", "noise", "other"),
    ],
)
def test_the_gradient_and_the_weight_of_a_layer_have_one_name(tag: str, layer: str, kind: str) -> None:
    name = values_name(tag)
    assert (name.layer, name.kind, name.measure) == (layer, kind, None)


@pytest.mark.parametrize(
    ("tag", "layer", "kind", "measure"),
    [
        ("grad_norm/layers.0.wq", "layers.0.wq", "gradient", "size"),
        ("layers.0.wq/grad_norm", "layers.0.wq", "gradient", "size"),
        ("l2_norm/grad/fc1.weight", "fc1.weight", "gradient", "size"),
        ("gradients/fc1.weight/rms", "fc1.weight", "gradient", "size"),
        ("activations/mean/layer_3", "layer_3", "activation", "mean"),
        ("weights/fc1/std", "fc1", "weight", "std"),
        ("layers.2.attn/nan_count", "layers.2.attn", "other", "nonfinite"),
        ("layers.2.attn.num_nans", "layers.2.attn", "other", "nonfinite"),
        ("act/layers.2/dead_units", "layers.2", "activation", "dead"),
        ("activations/layers.2/sparsity", "layers.2", "activation", "zeros"),
        ("layers.2.weight/grad_to_weight_ratio", "layers.2.weight", "gradient", "ratio"),
    ],
)
def test_scalars_that_measure_a_layer_are_found(tag: str, layer: str, kind: str, measure: str) -> None:
    name = scalar_name(tag)
    assert name is not None
    assert (name.layer, name.kind, name.measure) == (layer, kind, measure)


@pytest.mark.parametrize(
    "tag",
    [
        "train/loss",
        "loss",
        "grad_norm",
        "train/grad_norm",
        "weight_decay",
        "rollout/ep_rew_mean",
        "ppo/ratio",
        "system/gpu0/mean",
        "val/mean",
        "image/std",
        "normalize",
        "meaning/x1",
        "learning_rate",
    ],
)
def test_other_scalars_are_no_layers(tag: str) -> None:
    assert scalar_name(tag) is None


def test_norms_are_told_from_root_mean_squares() -> None:
    assert scalar_name("grad_norm/fc.0") == Name("fc.0", "gradient", "size", is_norm=True)
    assert scalar_name("grad/fc.0/rms") == Name("fc.0", "gradient", "size")


@pytest.mark.parametrize(
    ("layer", "module", "bias"),
    [
        ("0.weight", "0", False),
        ("lstm.bias_hh_l0", "lstm.hh_l0", True),
        ("attn.in_proj_bias", "attn.in_proj", True),
        ("dense/kernel:0", "dense", False),
        ("dense_1/bias_0", "dense_1", True),
        ("Dense_0/kernel", "Dense_0", False),
        ("W1", "1", False),
        ("b1", "1", True),
        ("model.b.weight", "model.b", False),
        ("relu3", "relu3", False),
    ],
)
def test_a_parameter_belongs_to_its_module(layer: str, module: str, bias: bool) -> None:
    assert module_of(layer) == (module, bias)
