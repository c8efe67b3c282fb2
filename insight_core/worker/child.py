"""The worker process: calls functions by name, within limits of memory, time and answer."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from insight_core.plugin import InsightError
from insight_core.references import Reference
from insight_core.worker.job import WorkerFailed
from insight_core.worker.link import HostGone, WorkerLink
from insight_record.formats.reason import Reason, ReasonKind

_PR_SET_PDEATHSIG = 1
_AGAIN = 1.0  # seconds after which a function that goes on is ended again
_GRACE = 2.0  # seconds of processor time until the system ends a function that does not return to Python
_GARBAGE = 5_000  # objects after which a collection may be worth its time
_LEAST_GROWTH = 128 << 20  # bytes that a process may have kept of a call and still be given another
_WORKER_SECONDS = ReasonKind("worker_seconds", "reading took more than {seconds} s of processor time")
_WORKER_MEMORY = ReasonKind("worker_memory", "it needs more than {mib} MiB of memory")
_WORKER_UNREADABLE = ReasonKind("worker_unreadable", "a file cannot be read: {reason}")
_WORKER_FAILED = ReasonKind("worker_failed", "the reader failed: {reason}")
_WORKER_ANSWER = ReasonKind("worker_answer", "the answer has more than {mib} MiB")


class _OutOfTime(BaseException):
    """A call took more processor time than it may. No ``except Exception`` of the function catches it."""


@contextlib.contextmanager
def _limited_time(seconds: float) -> Iterator[None]:
    """Raises _OutOfTime in a block that takes more processor time than this. The system ends the process
    if compiled code goes on."""

    def end(*_: object) -> None:
        raise _OutOfTime

    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds + _GRACE) + 1
    before = signal.signal(signal.SIGPROF, end)
    _set_limit(resource.RLIMIT_CPU, most)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        _set_limit(resource.RLIMIT_CPU, None)


class _Memory:
    """The address space of this process: modules do not count, what calls allocate does."""

    def __init__(self) -> None:
        self._modules = _mapped()

    def imported(self, name: str, modules: Sequence[str]) -> Callable[..., Any]:
        """The function of this name; its module and others are imported without a limit."""
        _set_limit(resource.RLIMIT_AS, None)
        before = _mapped()
        for module in modules:
            importlib.import_module(module)
        function = Reference(name).resolve()
        grown = _mapped() - before
        if grown > 0:
            self._modules += grown
            gc.freeze()  # modules stay: a collection need not look at them
        return function

    def limit(self, size: int) -> None:
        """Has allocations beyond ``size`` bytes fail with MemoryError."""
        if self._modules:
            _set_limit(resource.RLIMIT_AS, self._modules + size)

    def lift(self) -> None:
        """Ends the limit until the next call."""
        _set_limit(resource.RLIMIT_AS, None)

    @property
    def is_small(self) -> bool:
        """Whether the process has given back most of what calls took."""
        return _mapped() - self._modules < _LEAST_GROWTH


def _mapped() -> int:
    """Bytes of address space; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _set_limit(kind: int, soft: int | None) -> None:
    """Sets a limit, or removes it as far as the process may."""
    _, hard = resource.getrlimit(kind)
    soft = hard if soft is None else soft if hard == resource.RLIM_INFINITY else min(soft, hard)
    with contextlib.suppress(OSError, ValueError):  # a system without this limit
        resource.setrlimit(kind, (soft, hard))


def _failure(error: BaseException, order: Mapping[str, Any]) -> dict[str, object]:
    """Describes an error for the host: text, code, details and status."""
    if isinstance(error, InsightError):
        return _told(Reason(str(error), error.code, **error.details), error.status)
    if isinstance(error, _OutOfTime):
        seconds = round(float(order["seconds"]))
        return _told(_WORKER_SECONDS(seconds=seconds))
    if isinstance(error, MemoryError):
        mib = int(order["memory"]) >> 20
        return _told(_WORKER_MEMORY(mib=mib))
    if isinstance(error, OSError):
        return _told(_WORKER_UNREADABLE(reason=str(error)))
    if isinstance(error, ValueError):
        cause = Reason.of(error)
        return _told(cause if cause.code else Reason(cause, "worker_invalid", reason=cause))
    traceback.print_exception(error)
    reason = f"{type(error).__name__}: {error}"
    return _told(_WORKER_FAILED(reason=reason))


def _told(reason: Reason, status: int = WorkerFailed.status) -> dict[str, object]:
    return {"reason": reason.stored(), "status": status}


def _called(link: WorkerLink, order: dict[str, Any], memory: _Memory) -> bytes:
    function = memory.imported(order["function"], order.get("imports", ()))
    memory.limit(order["memory"])
    with _limited_time(order["seconds"]):
        answer: bytes | None = function(link, **order["arguments"])
    most = order["answer"]
    if answer is not None and len(answer) > most:
        mib = most >> 20
        raise ValueError(_WORKER_ANSWER(mib=mib))
    return answer or b""


def _end_with_host() -> None:
    """Has the system end this process when the host is killed, so that no call goes on and writes where
    the next host does. Elsewhere than on Linux it ends after its call."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))


def main() -> None:
    """Runs the process: orders on standard input, answers on standard output. It ends with its input."""
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # prints must not mix with answers
    sys.stdin = io.StringIO()
    _set_limit(resource.RLIMIT_CORE, 0)
    _end_with_host()
    gc.disable()  # what is read forms no cycles; a collection would take as long as reading
    link, memory = WorkerLink(orders, answers), _Memory()
    with contextlib.suppress(HostGone):
        while (order := link.order()) is not None:
            answer, failure = b"", None
            try:
                answer = _called(link, order, memory)
            except HostGone:
                return
            except BaseException as error:
                if isinstance(error, MemoryError):  # to say so takes memory, too
                    error.__traceback__ = error.__context__ = None  # holds what the call has made
                    memory.lift()
                failure = _failure(error, order)
            if gc.get_count()[0] > _GARBAGE:
                gc.collect()
            if failure is None:
                link.end(answer, stays=memory.is_small)
            else:
                link.fail(failure, stays=memory.is_small)


if __name__ == "__main__":
    main()
