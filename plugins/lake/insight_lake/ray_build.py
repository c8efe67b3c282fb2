"""Builds a lake on a Ray cluster: each task builds a shard, as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence

from insight_core.plugin import InsightError, Unavailable


def build_on_ray(
    address: str | None, arguments: Sequence[str], shards: int | None, say: Callable[[str], None]
) -> int:
    """Runs ``insight-host lake build`` with these arguments on a cluster; returns the exit code.

    ``address`` None is the cluster of RAY_ADDRESS, or a new one on this machine. ``shards`` None makes one
    for each processor of the cluster. Raises Unavailable without Ray.
    """
    try:
        import ray
    except ModuleNotFoundError as error:
        text = "building on Ray needs ray, which is not installed: pip install 'insight-host[ray]'"
        raise Unavailable(text) from error
    try:
        ray.init(address=address, log_to_driver=False, logging_level="warning")
    except (ConnectionError, ValueError) as error:
        text = f"no Ray cluster at {address or 'RAY_ADDRESS'}: {_last_line(error)}"
        raise Unavailable(text) from error
    try:
        count = shards or max(1, int(ray.cluster_resources().get("CPU", 1)))
        say(f"insight-host lake: {count} shards on {len(ray.nodes())} nodes of Ray")
        build = ray.remote(num_cpus=1)(_built)
        waiting = {build.remote([*arguments, f"--shard={shard}/{count}"]): shard for shard in range(count)}
        failed = []
        while waiting:
            [done], _ = ray.wait(list(waiting), num_returns=1)
            shard = waiting.pop(done)
            code, text = ray.get(done)
            say(f"insight-host lake: shard {shard}/{count}: {text.strip()}")
            if code:
                failed.append(shard)
        if failed:
            names = ", ".join(f"{shard}/{count}" for shard in sorted(failed))
            raise InsightError(f"shards failed: {names}; run the command again, it goes on where they ended")
        return 0
    finally:
        ray.shutdown()


def _last_line(error: Exception) -> str:
    """Without the traceback of a server, which Ray has in the text of its error."""
    return str(error).replace("\\n", "\n").strip().rpartition("\n")[2]


def _built(arguments: Sequence[str]) -> tuple[int, str]:
    """Exit code and output of a build in a process of its own, on a worker."""
    command = [sys.executable, "-m", "insight_core.cli", "lake", "build", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr[-4000:]
