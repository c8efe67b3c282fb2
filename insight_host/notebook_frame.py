"""Shows a host below a notebook cell, in a frame or by its address; the magic `%insight`."""

from __future__ import annotations

import ipaddress
import json
import re
import shlex
import sys
import uuid
from html import escape
from typing import Any

from insight_host.hosts import RunningHost, StartFailed, is_colab, proxy_url, running, start

HEIGHT = 800  # pixels
_FRAME = """<iframe id="{id}" title="insight-host" width="100%" height="{height}" frameborder="0"></iframe>
<script>
{script}
</script>"""
# The page of a cell may have an address of another kind (vscode-webview://…): the host is then where it is.
_IN_NOTEBOOK = """(() => {{
  const frame = document.getElementById({id});
  const [fixed, port, path, token] = {place};
  const here = window.location;
  const onWeb = here.protocol === 'http:' || here.protocol === 'https:';
  const name = onWeb ? here.hostname : 'localhost';
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(name);
  const scheme = onWeb && !isLocal ? here.protocol : 'http:';
  const url = new URL(fixed ?? `${{scheme}}//${{name}}:${{port}}${{path}}`, here);
  if (token) url.searchParams.set('token', token);
  frame.src = url.href;
}})();"""
_IN_COLAB = """(async () => {{
  const frame = document.getElementById({id});
  const [, port, path, token] = {place};
  const url = new URL(await google.colab.kernel.proxyPort(port, {{ cache: true }}));
  url.pathname = path;
  if (token) url.searchParams.set('token', token);
  frame.src = url.href;
}})();"""
# A # within a word or in quotes is a part of it.
_BEFORE_REMARK = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.\#*|(?<=\S)\#|[^#'"\\])*""")


def display(host: RunningHost | None = None, *, height: int = HEIGHT) -> None:
    """Shows a host, by default the one that was started last, ``height`` pixels high."""
    host = host if host is not None else next(iter(running()), None)
    if host is None:
        print("insight-host: no notebook has started a host; `%insight --logdir DIR` does", file=sys.stderr)
    elif (show := _notebook()) is None:
        print(f"insight-host at {host.address}")
    else:
        show(frame(host, height))


def frame(host: RunningHost, height: int = HEIGHT) -> str:
    """What a cell shows, as HTML. The page itself knows from which machine it comes."""
    identifier = f"insight-host-{uuid.uuid4().hex[:12]}"
    place = _in_script([_fixed_address(host), host.port, f"{host.path_prefix}/", host.token])
    script = _IN_COLAB if is_colab() else _IN_NOTEBOOK
    text = script.format(id=_in_script(identifier), place=place)
    return _FRAME.format(id=escape(identifier), height=int(height), script=text)


def _fixed_address(host: RunningHost) -> str | None:
    """The address, unless it is the port on the machine of the notebook's page."""
    proxy = proxy_url()
    if proxy is not None:
        return proxy.replace("%PORT%", str(host.port)).rstrip("/") + f"{host.path_prefix}/"
    try:
        address = ipaddress.ip_address(host.bound_host.strip("[]"))
    except ValueError:
        return None
    return None if address.is_loopback or address.is_unspecified else host.url


def _in_script(value: object) -> str:
    return json.dumps(value).replace("<", "\\u003c")


def _notebook() -> Any:  # noqa: ANN401
    """What shows HTML below the cell; None in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not shell.has_trait("kernel"):
        return None
    from IPython.display import HTML
    from IPython.display import display as show

    return lambda text: show(HTML(text))


def insight(line: str) -> None:
    """Shows training logs below the cell: ``%insight --logdir DIR [FLAGS of insight-host]``.

    A host that a notebook of yours has started with the same flags is shown again.
    """
    try:
        host, is_new = start(_arguments(line))
    except SystemExit:  # of a command line that was refused, or asked for help: said already
        return
    except (StartFailed, ValueError) as error:
        print(f"insight-host: {error}", file=sys.stderr)
        return
    if not is_new:
        print(f"The host on port {host.port} is shown again (pid {host.pid}; `!kill {host.pid}` ends it).")
    display(host)


def _arguments(line: str) -> list[str]:
    """The words of a line, without a remark at its end. Raises ValueError for an open quotation."""
    before = _BEFORE_REMARK.match(line)
    end = before.end() if before is not None else 0
    return shlex.split(line[:end] if line[end:].startswith("#") else line)
