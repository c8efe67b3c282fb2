"""Run by the Python of an environment with MindInsight: prints what ``POST lineagemgr/lineages`` answers.

Arguments are the directory and, as JSON, the search condition.
"""

from __future__ import annotations

import json
import os
import sys
import types


def main() -> None:
    os.environ.setdefault("MINDINSIGHT_WORKSPACE", os.environ.get("TMPDIR", "/tmp"))
    # only requests are checked with it, and the environment does not have it
    checks = types.ModuleType("marshmallow")
    checks.ValidationError = ValueError  # type: ignore[attr-defined]
    sys.modules.setdefault("marshmallow", checks)
    from mindinsight.lineagemgr.lineage_parser import LineageOrganizer  # type: ignore[import-not-found]
    from mindinsight.lineagemgr.querier.querier import Querier  # type: ignore[import-not-found]

    found = LineageOrganizer(summary_base_dir=os.path.abspath(sys.argv[1])).super_lineage_objs
    json.dump(Querier(found).filter_summary_lineage(json.loads(sys.argv[2])), sys.stdout)


if __name__ == "__main__":
    main()
