"""Run by the Python of an environment with MindInsight: prints all scalars below a directory as JSON.

``{run: {tag: [[step, wall_time, value], ...]}}``, numbers as the hexadecimal text of float64: with "kept"
what its loader holds after loading, with "read" every point that the loader handed to its store. Its
sampling is lifted above the length of any series, and its limits on tags are lifted.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from mindinsight_runs import kept, loaded_runs  # type: ignore[import-not-found]

UNLIMITED = 10_000_000


def main() -> None:
    from mindinsight.datavisual.data_transform import events_data  # type: ignore[import-not-found]

    limits = events_data.CONFIG
    limits["max_total_tag_sizes"] = UNLIMITED
    limits["max_tag_sizes_per_plugin"] = {}
    limits["max_step_sizes_per_tag"]["scalar"] = UNLIMITED
    read: dict[str, dict[str, list[Any]]] = {}

    def listen(run: str, event: Any) -> None:  # noqa: ANN401
        if event.plugin_name == "scalar":
            tag = event.tag.removesuffix("/scalar")
            read.setdefault(run, {}).setdefault(tag, []).append(event)

    held = {run: found for run, data in loaded_runs(sys.argv[1], listen) if (found := kept(data, "scalar"))}
    shown = read if sys.argv[2] == "read" else held
    json.dump(
        {
            run: {tag: [_row(point) for point in points] for tag, points in tags.items()}
            for run, tags in shown.items()
        },
        sys.stdout,
    )


def _row(point: Any) -> list[Any]:  # noqa: ANN401
    return [point.step, float(point.wall_time).hex(), float(point.value).hex()]


if __name__ == "__main__":
    main()
