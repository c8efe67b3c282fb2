"""Evaluates losses at points of a parameter plane, in one or several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from attrs import frozen

from insight_landscape.directions import Array, Direction, Parameters, moved_by

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

Loss: TypeAlias = Callable[[dict[str, Array]], float]

_PORTIONS = 8  # of work for each process at least, so that none waits for the slowest
_LARGEST = 16  # points per portion: progress is reported after each


class PlanePoint(NamedTuple):
    """In units of the two directions, from the parameters that the plane goes through."""

    x: float
    y: float


@frozen
class Task:
    """The input of a process that evaluates points."""

    loss: Loss
    center: Parameters
    first: Direction
    second: Direction

    def loss_at(self, place: PlanePoint) -> float:
        """The loss at a point of the plane."""
        parameters = moved_by(self.center, self.first, self.second, *place)
        return loss_of(self.loss, parameters, f"x = {place.x:g}, y = {place.y:g}")


def loss_of(loss: Loss, parameters: dict[str, Array], where: str) -> float:
    """Raises what the loss raises, with a note of where, and TypeError where it returns no number."""
    try:
        value: Any = loss(parameters)
    except Exception as error:
        error.add_note(f"The loss was evaluated at {where}.")
        raise
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"the loss must return a number, but at {where} it returned a {type(value).__name__}"
        ) from error


def evaluated(
    task: Task, grid: Sequence[PlanePoint], processes: int, start_method: str
) -> Iterator[tuple[int, list[float]]]:
    """Index of the first point of a portion, and its losses, in whatever order they come."""
    if processes == 1:
        for index, place in enumerate(grid):
            yield index, [task.loss_at(place)]
        return
    import multiprocessing  # what a host that only shows landscapes does not need
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    if start_method != "fork":
        _check_pickled(task.loss, start_method)
    portion = min(_LARGEST, max(1, len(grid) // (processes * _PORTIONS)))
    context = multiprocessing.get_context(start_method)
    stop = context.Event()
    with ProcessPoolExecutor(processes, context, _begin, (task, stop)) as executor:
        waiting = {
            executor.submit(_losses, grid[start : start + portion]): start
            for start in range(0, len(grid), portion)
        }
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BrokenProcessPool as error:
            raise RuntimeError(
                "a process that evaluated the loss has ended without an error: was it out of memory? It also "
                'happens where a script calls this outside of `if __name__ == "__main__":`, and with a loss '
                'that a notebook defines, for which start_method must be "fork"'
            ) from error
        finally:  # after an error or an interruption the rest would be for nothing
            stop.set()
            executor.shutdown(wait=True, cancel_futures=True)


_own: tuple[Task, Event] | None = None  # of a process that evaluates points


def _begin(task: Task, stop: Event) -> None:
    import signal

    global _own
    _own = task, stop
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C: the main process is the one that says so


def _losses(places: Sequence[PlanePoint]) -> list[float]:
    assert _own is not None
    task, stop = _own
    found: list[float] = []
    for place in places:
        if stop.is_set():
            break
        try:
            found.append(task.loss_at(place))
        except Exception as error:
            raise _sendable(error) from None
    return found


def _sendable(error: Exception) -> Exception:
    """The error, or one that says the same, for those that do not survive the way to the main process."""
    import pickle
    import traceback

    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # whatever its parts raise
        return RuntimeError("".join(traceback.format_exception(error)).strip())
    return error


def _check_pickled(loss: Loss, start_method: str) -> None:
    import pickle

    try:
        pickle.dumps(loss)
    except Exception as error:  # whatever its parts raise
        raise ValueError(
            f"the loss cannot be sent to other processes ({error}): define it at the top of a module, "
            f'or say start_method="fork" instead of {start_method!r}'
        ) from error
