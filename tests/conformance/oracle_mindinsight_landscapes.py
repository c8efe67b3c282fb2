"""Run by the Python of an environment with MindInsight: prints the landscapes below a directory as JSON.

``{run: {"intervals": [[first, last], ...], "landscapes": {name: answer}}}`` as the LandscapeProcessor has it,
the engine of its REST API; ``name`` is ``first-last`` or ``final``. Facts of the lineage are asked of its
parser of lineage files, by the run's directory.
"""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType
from typing import Any

from mindinsight_runs import loaded_runs  # type: ignore[import-not-found]

KIND = "loss_landscape"


def main() -> None:
    root = os.path.abspath(sys.argv[1])
    found = {}
    for run, data in loaded_runs(root, lambda run, event: None):
        answer = _answer(os.path.join(root, run), data)
        if answer is not None:
            found[run] = answer
    json.dump(found, sys.stdout)


def _answer(directory: str, data: Any) -> Any:  # noqa: ANN401
    # Its table of all runs needs pandas and more; the facts of one run are asked of the parser below.
    _stand_in("mindinsight.lineagemgr.model", filter_summary_lineage=None)
    from mindinsight.datavisual.processors.landscape_processor import (  # type: ignore[import-not-found]
        LandscapeProcessor,
    )

    try:
        tags = data.list_tags_by_plugin(KIND)
    except KeyError:
        return None

    class OneRun:
        """What the processor asks of MindInsight's data manager."""

        def get_train_job_by_plugin(self, train_id: str, plugin_name: str) -> Any:  # noqa: ANN401
            return {"tags": tags}

        def list_tensors(self, train_id: str, tag: str) -> Any:  # noqa: ANN401
            return data.tensors(tag)

    class Processor(LandscapeProcessor):  # type: ignore[misc]
        def _get_lineage_data(self, train_id: str) -> Any:  # noqa: ANN401
            return _facts(directory)

    processor = Processor(OneRun())
    intervals = processor.list_intervals("./run")["intervals"]
    answers = {}
    for interval in intervals:
        [one] = processor.list_landscapes(["./run"], "interval", interval["id"])["landscapes"]
        answers["-".join(map(str, interval["value"]))] = one
    [final] = processor.list_landscapes(["./run"], "final")["landscapes"]
    if "error_code" not in final:
        answers["final"] = final
    return {"intervals": [interval["value"] for interval in intervals], "landscapes": answers}


def _facts(directory: str) -> dict[str, Any]:
    names = ("network", "optimizer", "learning_rate", "loss")
    if not any(name.endswith("_lineage") for name in os.listdir(directory)):
        return dict.fromkeys(names) | {"metric": {}}  # as the processor has it
    _stand_in("marshmallow", ValidationError=ValueError)  # it only checks paths here
    from mindinsight.lineagemgr.lineage_parser import LineageParser  # type: ignore[import-not-found]

    model = LineageParser("./run", directory).super_lineage_obj.lineage_obj.to_model_lineage_dict()
    return {name: model["model_lineage"][name] for name in (*names, "metric")}


def _stand_in(name: str, **content: object) -> None:
    """A module that is not installed here, with as much of it as is imported."""
    module = ModuleType(name)
    vars(module).update(content)
    sys.modules.setdefault(name, module)


if __name__ == "__main__":
    main()
