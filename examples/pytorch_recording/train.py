"""Trains a small network with PyTorch, and records it. See README.md."""

from __future__ import annotations

import sys
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]

from insight_record.torch import TorchCollector


def network() -> Any:  # noqa: ANN401
    """Tells pictures of 12 x 12 pixels apart by the way in which their stripes run."""
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 5),
        torch.nn.BatchNorm2d(8),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(128, 4),
    )


def stripes(count: int, random: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Pictures [count, 1, 12, 12], and which of four ways each runs."""
    label = torch.randint(4, (count,), generator=random)
    angle = (label * torch.pi / 4)[:, None, None]
    down, across = torch.meshgrid(torch.arange(12.0), torch.arange(12.0), indexing="ij")
    phase = 6 * torch.rand(count, 1, 1, generator=random)
    waves = torch.sin(across * torch.cos(angle) + down * torch.sin(angle) + phase)
    noise = 0.5 * torch.randn(count, 12, 12, generator=random)
    return (waves + noise)[:, None], label


def main(log_dir: str, epochs: int = 5, steps: int = 60) -> None:
    torch.manual_seed(0)
    random = torch.Generator().manual_seed(0)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * steps)
    loss_function = torch.nn.CrossEntropyLoss()
    validation = stripes(512, random)

    with TorchCollector(
        log_dir,
        model,
        optimizer,
        hyperparameters={"batch_size": 64, "epoch": epochs, "loss_function": "cross entropy"},
        histogram_every=30,
        gradient_every=30,
        gradients="weight",
    ) as collector:
        for _ in range(epochs):
            for _ in range(steps):
                inputs, label = stripes(64, random)
                optimizer.zero_grad()
                loss = loss_function(model(inputs), label)
                loss.backward()
                optimizer.step()
                collector.step(loss, inputs=inputs)
                schedule.step()
            collector.epoch(accuracy=accuracy(model, *validation))


@torch.no_grad()  # type: ignore[untyped-decorator,unused-ignore]
def accuracy(model: Any, inputs: Any, label: Any) -> Any:  # noqa: ANN401
    model.eval()
    found = (model(inputs).argmax(1) == label).float().mean()
    model.train()
    return found


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "runs/pytorch")
