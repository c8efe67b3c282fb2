"""Run by the Python of an environment with tensorboardX: a log with meshes and custom scalars."""

from __future__ import annotations

import sys

import numpy as np
from tensorboardX import SummaryWriter


def main() -> None:
    random = np.random.default_rng(0)
    for run in ("a", "b"):
        with SummaryWriter(f"{sys.argv[1]}/{run}") as writer:
            writer.add_custom_scalars({"losses": {"both": ["Multiline", ["loss/train", "loss/test"]]}})
            for step in range(4):
                for tag in ("loss/train", "loss/test"):
                    writer.add_scalar(tag, float(random.random()), step)
                vertices = random.random((2, 12, 3)).astype(np.float32)
                colors = random.integers(0, 255, (2, 12, 3))
                faces = random.integers(0, 12, (2, 5, 3))
                writer.add_mesh("shape", vertices, colors=colors, faces=faces, global_step=step)


if __name__ == "__main__":
    main()
