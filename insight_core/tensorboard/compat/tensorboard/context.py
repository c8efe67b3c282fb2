"""What is known of the request that is being answered."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from ipaddress import IPv4Address, IPv6Address
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

Address: TypeAlias = IPv4Address | IPv6Address

_KEY = "tensorboard.request_context"  # of a WSGI environment


class AuthContext:
    """Nobody has to say who they are."""

    def get(self, auth_key: object) -> None:
        return None


@frozen(kw_only=True)
class RequestContext:
    auth: Any = field(factory=AuthContext)
    remote_ip: Address | None = None
    x_forwarded_for: tuple[Address, ...] = ()
    client_feature_flags: Mapping[str, Any] = {}

    def replace(self, **changes: Any) -> RequestContext:  # noqa: ANN401
        return evolve(self, **changes)


def from_environ(environ: Mapping[str, Any]) -> RequestContext:
    """That of a WSGI environment, an empty one if it has none."""
    found: RequestContext | None = environ.get(_KEY)
    return RequestContext() if found is None else found


def set_in_environ(environ: MutableMapping[str, Any], ctx: RequestContext) -> None:
    environ[_KEY] = ctx
