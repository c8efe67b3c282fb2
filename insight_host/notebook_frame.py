"""Shows a host in a frame below a notebook cell, or its address if frames are unsupported."""

from __future__ import annotations

import ipaddress
import json
import sys
import uuid
from html import escape
from typing import Any

from insight_host.hosts import RunningHost, is_colab, proxy_url, running

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
