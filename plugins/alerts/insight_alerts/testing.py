"""``insight-host alerts test``: what rules find in logs as they are now."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from insight_alerts.delivery import NotSent, send
from insight_alerts.rules import AlertRules
from insight_alerts.watch import Watch
from insight_core.plugin import CommandHost

_USAGE = "insight-host alerts test FILE --logdir DIR [--send] [flags of insight-host]"


def test_rules(host: CommandHost, arguments: Sequence[str]) -> int:
    """Prints a line for each alert, and sends nothing without ``--send``.

    Returns 0, or 1 if an alert could not be sent.
    """
    parser = argparse.ArgumentParser("insight-host alerts test", usage=_USAGE, description=test_rules.__doc__)
    parser.add_argument("file", metavar="FILE", help="TOML file of rules")
    parser.add_argument("--send", action="store_true", help="send the alerts, too")
    flags = [word for word in arguments if word != "--send"]
    given = parser.parse_args([*(["--send"] if "--send" in arguments else []), *flags[:1]])
    failed = 0
    with host.loaded(["--alerts", given.file, *flags[1:]], "alerts") as ctx:
        rules: AlertRules = ctx.options["alerts"]
        watch = Watch(rules, ctx.data, ctx.findings)
        alerts = sorted([*watch.series(), *watch.runs(), *watch.findings()], key=lambda alert: alert.at)
        for alert in alerts:
            is_recent = rules.is_recent(alert)
            note = "" if is_recent else f" (older than {rules.hours:g} hours: not sent)"
            print(f"{_time_text(alert.at)}  {alert.text()}{note}")
            if given.send and is_recent:
                for name in rules.sends(alert):
                    try:
                        send(rules.targets[name], alert.message(rules.page))
                    except NotSent as error:
                        failed += 1
                        host.print(f"{name}: {error}")
        print(f"{len(alerts)} alerts of {len(rules.rules)} rules" if alerts else "no alerts")
    return 1 if failed else 0


def _time_text(seconds: float) -> str:
    """Local time of seconds since the epoch, or the number if no calendar of the system has it."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):
        return f"{seconds:g} s"
