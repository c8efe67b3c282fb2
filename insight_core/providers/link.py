"""A connection to one gRPC server: deadlines, error translation and health checks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

import grpc
from attrs import frozen
from google.protobuf.message import Message
from grpc.experimental import ChannelOptions

from insight_core.plugin import InsightError, TooLarge, Unavailable
from insight_core.providers.locations import Credentials
from insight_core.rpc.admission import bearer
from insight_core.rpc.errors import ERRORS, reason_of
from insight_core.rpc.schema.services import MESSAGE_OPTIONS

log = logging.getLogger(__name__)

SHORT = 10.0  # seconds for an answer about the data
LONG = 120.0  # seconds for the data themselves
_PULSE = 3.0  # seconds between health checks; a failed call triggers one
_PATIENCE = 3.0  # seconds that it has for that; a busy one needs a while
_RETRY = 0.25  # seconds between two looks while it does not
_OPTIONS = [
    *MESSAGE_OPTIONS,
    # otherwise a client that is slower than the server holds 100 MB and more of what it has not read yet
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.lookahead_bytes", 8 << 20),
    ("grpc.enable_http_proxy", 0),  # servers are on this machine or named on purpose
    ("grpc.use_local_subchannel_pool", 1),
    (
        ChannelOptions.SingleThreadedUnaryStream,
        1,
    ),  # otherwise a thread that waits for a message wakes ten times a second
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
]
_HEALTH = "/grpc.health.v1.Health/Check"  # even "unimplemented" is an answer

_NONE = Credentials()

Answer = TypeVar("Answer")


@frozen
class Method(Generic[Answer]):
    """An RPC of a service: its path and the parser of its answer."""

    path: str
    read: Callable[[bytes], Answer]


class NotServed(Unavailable):
    """The server does not implement this service."""


class Link:
    """A channel to one server at a time; ``connect`` changes the server, ``disconnect`` removes it.

    While the server does not answer, every call raises Unavailable immediately, with the reason. After
    ``start`` a thread checks the server every few seconds, so that a server that hangs blocks no caller.
    ``on_change`` is called, from any thread, with the reason when the connection is lost, and with None
    when it is restored.
    """

    def __init__(
        self, address: str | None = None, credentials: Credentials = _NONE, *, absent: str = ""
    ) -> None:
        self.on_change: Callable[[str | None], None] = lambda reason: None
        self._lock = threading.Lock()
        self._channel: grpc.Channel | None = None
        self._reason: str | None = absent or None  # why nothing can be asked
        self._under_way: set[Any] = set()
        self._closed = False
        self._look = threading.Event()
        self._thread: threading.Thread | None = None
        self.address = ""
        self._credentials = credentials
        if address is not None:
            self._channel, self.address = self._opened(address), address

    def start(self) -> None:
        """Starts the health checks."""
        self._thread = threading.Thread(target=self._watch, name="data-server-pulse", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stops the health checks and closes the channel."""
        self._closed = True
        self.disconnect("the host is ending")
        self._look.set()

    def connect(self, address: str, credentials: Credentials = _NONE) -> None:
        """Sets the address of the server; calls use it once the server answers."""
        with self._lock:
            self._credentials = credentials
            old, self._channel, self.address = self._channel, self._opened(address), address
        if old is not None:
            old.close()
        self._look.set()

    def disconnect(self, reason: str) -> None:
        """Reports that no server answers at the moment."""
        with self._lock:
            old, self._channel = self._channel, None
            changed = self._reason is None
            self._reason = reason
            self._cancel_all()
        if old is not None:
            old.close()
        if changed:
            self.on_change(reason)

    @property
    def reason(self) -> str | None:
        """Why the server cannot be used; None if it can."""
        return self._reason

    def unary(self, method: Method[Answer], request: Message, deadline: float = SHORT) -> Answer:
        """The answer to one request. ``deadline`` is in seconds."""
        call = self._begin(
            lambda channel: channel.unary_unary(method.path, _serialized, method.read).future(
                request, timeout=deadline, metadata=self._metadata()
            )
        )
        try:
            answer: Answer = call.result()
        except (grpc.RpcError, grpc.FutureCancelledError) as error:
            raise self._translated(error) from error
        finally:
            self._end(call)
        return answer

    def stream(
        self, method: Method[Answer], request: Message, deadline: float | None = SHORT
    ) -> Generator[Answer]:
        """The answers to one request, as they arrive; ``deadline`` None means no deadline."""
        call = self._begin(
            lambda channel: channel.unary_stream(method.path, _serialized, method.read)(
                request, timeout=deadline, metadata=self._metadata()
            )
        )
        try:
            yield from call
        except grpc.RpcError as error:
            raise self._translated(error) from error
        finally:
            call.cancel()
            self._end(call)

    def suspect(self) -> None:
        """Reports a failed call: the next health check is due now."""
        self._look.set()

    # --- inside -----------------------------------------------------------------------------------

    def _opened(self, address: str) -> grpc.Channel:
        if not self._credentials.tls:
            return grpc.insecure_channel(address, _OPTIONS)
        secure = grpc.ssl_channel_credentials(self._credentials.authorities)
        return grpc.secure_channel(address, secure, _OPTIONS)

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        token = self._credentials.token()
        return () if token is None else bearer(token)

    def _begin(self, call: Callable[[grpc.Channel], Any]) -> Any:  # noqa: ANN401
        with self._lock:
            if self._reason is not None or self._channel is None:
                raise Unavailable(self._reason or "no data server is running")
            begun = call(self._channel)
            self._under_way.add(begun)
        return begun

    def _end(self, call: object) -> None:
        with self._lock:
            self._under_way.discard(call)

    def _cancel_all(self) -> None:
        for call in self._under_way:
            call.cancel()

    def _translated(self, error: BaseException) -> InsightError:
        code = error.code() if isinstance(error, grpc.Call) else grpc.StatusCode.CANCELLED
        details = (error.details() if isinstance(error, grpc.Call) else "") or ""
        log.debug("a call to %s failed: %s %s", self.address, code, details)
        if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
            self.suspect()
        if code in _SILENT:
            return Unavailable(self._reason or self._silence())
        if code is grpc.StatusCode.UNAUTHENTICATED:
            return Unavailable(
                f"the data server at {self.address} needs a token, or another one than was sent: give a file "
                "with --data-provider-token-file (in Python, token_file=)"
            )
        if code is grpc.StatusCode.UNIMPLEMENTED:
            return NotServed(f"the server at {self.address} does not have this service: {details}")
        if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            return TooLarge(f"the data server at {self.address}: the answer is too large ({details})")
        if code in ERRORS and isinstance(error, grpc.Call):
            return ERRORS[code](reason_of(error))
        return InsightError(f"the data server at {self.address}: {details or code.name}")

    def _silence(self) -> str:
        hint = ", or its certificate is not trusted (--data-provider-ca)" if self._credentials.tls else ""
        return f"the data server at {self.address} does not answer{hint}"

    def _watch(self) -> None:
        while not self._closed:
            with self._lock:
                channel = self._channel
            if channel is not None:
                self._settle(channel, answers=_answers(channel))
            self._look.wait(_PULSE if self._reason is None else _RETRY)
            self._look.clear()

    def _settle(self, channel: grpc.Channel, *, answers: bool) -> None:
        with self._lock:
            if channel is not self._channel:
                return  # it was replaced meanwhile
            before, self._reason = self._reason, None if answers else self._silence()
            reason = self._reason
            if reason is not None:
                self._cancel_all()
        if (before is None) != (reason is None):
            log.info("%s", reason or f"the data server at {self.address} answers")
            self.on_change(reason)


_SILENT = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
)


def _serialized(request: Message) -> bytes:
    return request.SerializeToString()


def _answers(channel: grpc.Channel) -> bool:
    """Whether the server answers at all."""
    try:
        channel.unary_unary(_HEALTH, None, None)(b"", timeout=_PATIENCE)
    except grpc.RpcError as error:
        return not isinstance(error, grpc.Call) or error.code() not in _SILENT
    except ValueError:  # the channel was closed meanwhile
        return False
    return True
