// Runs in a snapshot: unpacks it, answers in the place of the host, and starts the page.
{
  const { nonce } = document.currentScript;
  document.documentElement.dataset.snapshot = ''; // `ctx.isSnapshot`
  const base = new URL('.', document.baseURI).href;

  const unpack = async () => {
    const text = atob(document.getElementById('snapshot').textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };

  const told = (texts) => texts[document.documentElement.lang] ?? texts.en;
  const ABSENT = {
    en: 'This needs the host; it is not part of the snapshot.',
    'zh-CN': '此功能需要主机，快照中不包含。',
  };
  const FIXED = { en: 'Nothing can be saved in a snapshot.', 'zh-CN': '快照中无法保存任何内容。' };
  const noticeOf = ({ made, missing }) => {
    const here = document.documentElement.lang;
    if (here === 'zh-CN')
      return (
        `${made} 的快照：内容不会更新，也无法在其中保存任何内容。` +
        (missing[here].length > 0 ? `未包含：${missing[here].join('、')}。` : '')
      );
    const rest = missing.en.length > 0 ? ` Not in it: ${missing.en.join(', ')}.` : '';
    return `Snapshot of ${made}: it does not change, and nothing can be saved in it.${rest}`;
  };
  const refuse = (texts, status) => Response.json({ error: told(texts), code: 'snapshot' }, { status });

  const start = async () => {
    const content = await unpack();
    let at = 4 + new DataView(content.buffer).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(content.subarray(4, at)));
    const take = (bytes) => content.subarray(at, (at += bytes));
    const imports = {};
    for (const [path, bytes] of Object.entries(header.modules)) {
      const url = URL.createObjectURL(new Blob([take(bytes)], { type: 'text/javascript' }));
      imports[header.prefix + path] = url;
      imports[base + path] = url;
    }
    for (const [name, path] of Object.entries(header.imports)) imports[name] = imports[base + path];
    const data = {};
    for (const [name, bytes] of Object.entries(header.data)) data[name] = take(bytes).slice().buffer;
    const map = Object.assign(document.createElement('script'), { type: 'importmap', nonce });
    map.textContent = JSON.stringify({ imports });
    document.head.append(map);

    const { answers } = header;
    document.documentElement.dataset.made = header.day;
    const table = answers['data/run_table'];
    const { generation, boot } = table;
    const open = {}; // twins of the host halves of plugins
    const twin = (plugin) =>
      (open[plugin] ??= import(base + answers['data/plugins_listing'][plugin].snapshot).then((module) =>
        module.default.open(data[plugin]),
      ));

    /** See `GET /data/catalog`: one set of tags for each run. */
    const catalogue = async (query) => {
      const series = new Map();
      for (const plugin of query.getAll('plugin'))
        if (data[plugin])
          for (const [run, tags] of (await twin(plugin)).series)
            series.set(run, new Map([...(series.get(run) ?? []), ...tags]));
      const tags = [...new Set([...series.values()].flatMap((of) => [...of.keys()]))];
      const place = new Map(tags.map((tag, i) => [tag, i]));
      const attempts = [...series.values()].flatMap((of) => [...of.values()]);
      return {
        ...{ generation, boot, since: null, total: attempts.length, gone: {}, tags, runs: [...series.keys()] },
        sets: [...series.values()].map((of) => [...of.keys()].map((tag) => place.get(tag))),
        set_of: [...series.keys()].map((_, i) => i),
        columns: {
          attempts,
          claims: { values: [[]], of: 0 },
          plugin: { values: [query.get('plugin')], of: 0 },
        },
      };
    };
    const columns = (query) => {
      const wanted = query.getAll('column');
      const all = answers['data/run_columns'].columns;
      if (wanted.length === 0) return { columns: all.map(({ values: _, ...column }) => column), column_errors: [] };
      const found = all.filter(({ plugin, name }) => wanted.includes(`${plugin}/${name}`));
      return { runs: table.runs.map(({ name }) => name), columns: found, column_errors: [] };
    };

    const answer = async (path, query, method) => {
      if (method === 'PUT' || method === 'DELETE') return refuse(FIXED, 403);
      const [, plugin, route] = /^data\/plugin\/([^/]+)\/(.*)$/.exec(path) ?? [];
      if (plugin && data[plugin]) return (await (await twin(plugin)).answer(route, query)) ?? refuse(ABSENT, 404);
      if (path === 'data/catalog') return Response.json(await catalogue(query));
      if (path === 'data/run_columns') return Response.json(columns(query));
      if (path === 'data/changes') return Response.json({ generation, boot, runs: false, series: {} });
      if (path === 'data/run_table') {
        // a report says at its end when it was made, and each card that is missing says so itself
        return Response.json({ ...table, notices: header.isReport ? [] : [{ error: noticeOf(header) }] });
      }
      const found = answers[query.has('name') ? `${path}?name` : path];
      return found === undefined ? refuse(ABSENT, 404) : Response.json(found);
    };

    globalThis.fetch = async (input, { method = 'GET', body, signal } = {}) => {
      const url = new URL(input, document.baseURI);
      const query = new URLSearchParams(url.search);
      if (method === 'POST') for (const [name, value] of new URLSearchParams(body)) query.append(name, value);
      signal?.throwIfAborted();
      try {
        return await answer(decodeURIComponent(url.href.split(/[?#]/)[0].slice(base.length)), query, method);
      } catch (cause) {
        console.error(cause);
        return refuse({ en: cause.message }, 400);
      }
    };
    globalThis.EventSource = class {
      constructor() {
        queueMicrotask(() => this.onopen?.());
      }
      close() {}
    };

    const save = async (href, name) => {
      const found = await fetch(href);
      const url = URL.createObjectURL(await found.blob());
      Object.assign(document.createElement('a'), { href: url, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    };
    addEventListener(
      'click',
      (event) => {
        const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
        if (!link?.href.startsWith(`${base}data/`)) return;
        event.preventDefault();
        void save(link.href, link.download || 'data');
      },
      true,
    );
    HTMLFormElement.prototype.submit = function () {
      const query = new URLSearchParams(new FormData(this));
      void save(`${this.action}?${query}`, query.get('download') ?? 'data');
    };

    if (!location.href.includes('#')) {
      const parts = Object.entries(header.state).map((pair) => pair.map(encodeURIComponent).join('='));
      history.replaceState(null, '', `${location.pathname}${location.search}#${parts.join('&')}`);
    }
    await import(base + header.shell);
  };
  start().catch((cause) => {
    document.getElementById('page').textContent = `This snapshot could not be opened: ${cause.message}`;
    console.error(cause);
  });
}
