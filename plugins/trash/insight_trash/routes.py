"""Says what would be moved to the trash, moves it, and lists what was moved."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from attrs import field, frozen
from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route
from insight_core.plugin.http import json_response, text
from insight_trash.plan import NotMoved, plan_of
from insight_trash.system_trash import move

_JSON = ("application/json",)
_RUN, _VERSION = text("run", required=True), text("version", required=True)


def routes(ctx: PluginContext) -> Sequence[Route]:
    """No routes without ``--allow-delete``."""
    if not ctx.options.get("allow_delete"):
        return []
    trash = TrashRoutes(ctx)
    return [
        Route("/plan", trash.plan, reads=[_RUN], answers=_JSON),
        Route(
            "/move",
            trash.move,
            ("POST",),
            reads=[_RUN, _VERSION],
            also_reads=[ctx.own_page.required],
            answers=_JSON,
        ),
        Route("/moved", trash.moved, answers=_JSON),
    ]


@frozen(eq=False)
class TrashRoutes:
    """The routes; what was moved since the start of the host is in ``done``."""

    ctx: PluginContext
    done: list[dict[str, object]] = field(factory=list)
    lock: threading.Lock = field(factory=threading.Lock)

    def plan(self, request: Request, *, run: str) -> Response:
        """``?run=``: what ``move`` would move now, and the token that it needs."""
        page = self.ctx.own_page
        page.require_writable(request)
        plan = plan_of(self.ctx.data, run)
        return _uncached({**plan.row(), "version": plan.version, "token": page.token})

    def move(self, request: Request, *, run: str, version: str) -> Response:
        """``?run=&version=``: moves what ``plan`` said, or nothing if it would be other files by now."""
        self.ctx.own_page.require(request)
        with self.lock:  # one at a time
            plan = plan_of(self.ctx.data, run)
            if plan.version != version:
                raise NotMoved(f"the files of run {run!r} have changed", code="trash_changed", run=run)
            self.ctx.log.warning("moving %s of run %r to the trash", ", ".join(plan.paths), run)
            move(plan)
            row = {**plan.row(), "at": time.time()}
            self.done.append(row)
        return _uncached(row)

    def moved(self, request: Request) -> Response:
        """Lists what was moved since the start of the host, the latest first."""
        return _uncached({"moved": self.done[::-1]})


def _uncached(answer: dict[str, object]) -> Response:
    response = json_response(answer)
    response.cache_control.no_store = True  # files change while the data do not
    return response
