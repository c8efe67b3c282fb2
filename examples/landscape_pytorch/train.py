"""Trains a small network with PyTorch, and computes its loss landscapes. See README.md."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]
from insight_landscape import compute

EPOCHS = 12

torch.set_num_threads(1)  # it is the processes that share the processors


def network() -> Any:  # noqa: ANN401
    return torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))


@cache
def data() -> tuple[Any, Any]:
    """Points in two half circles, and in which one each is."""
    random = torch.Generator().manual_seed(0)
    turn = torch.rand(512, generator=random) * torch.pi
    side = (torch.arange(512) % 2).float()
    x = torch.cos(turn) * (1 - 2 * side) + side
    y = torch.sin(turn) * (1 - 2 * side) + side / 2
    points = torch.stack([x, y], 1) + 0.15 * torch.randn(512, 2, generator=random)
    return points, side[:, None]


@torch.no_grad()  # type: ignore[untyped-decorator,unused-ignore]
def loss(parameters: dict[str, Any]) -> float:
    """The loss of the network with these parameters, numpy arrays by name, over all data."""
    model = network().eval()
    model.load_state_dict({name: torch.from_numpy(array) for name, array in parameters.items()})
    points, side = data()
    return float(torch.nn.functional.binary_cross_entropy_with_logits(model(points), side))


def trained(epochs: int = EPOCHS) -> list[dict[str, Any]]:
    """The parameters before training and after each epoch."""
    torch.manual_seed(1)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
    points, side = data()
    kept = [snapshot(model)]
    for _ in range(epochs):
        for part in torch.randperm(len(points)).split(64):
            optimizer.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(model(points[part]), side[part]).backward()
            optimizer.step()
        kept.append(snapshot(model))
    return kept


def snapshot(model: Any) -> dict[str, Any]:  # noqa: ANN401
    """A copy: what ``numpy()`` gives is the model's own memory."""
    return {name: values.detach().numpy().copy() for name, values in model.state_dict().items()}


def show(done: int, total: int) -> None:
    print(f"\r{done} of {total} points", end="" if done < total else "\n", flush=True)


def main(log_dir: str, size: int = 40, processes: int = 2) -> None:
    checkpoints = trained()
    compute(
        loss,
        checkpoints,
        log_dir=log_dir,
        at=range(len(checkpoints)),
        step_per_epoch=8,
        size=size,
        processes=processes,
        progress=show,
    )
    compute(loss, checkpoints[-1], log_dir=log_dir, size=size, processes=processes, progress=show)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "runs/landscape")
