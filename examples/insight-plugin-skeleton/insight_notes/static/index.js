// The tab: text notes of the selected runs, newest step first. Plain JavaScript, no build step.
// Type-check it with a JSDoc import of insight-host's frontend/packages/api/src/contract.ts, if you like.

const messages = {
  en: { empty: 'The selected runs hold no notes.', step: 'step {step}', more: 'The newest {shown} of {total} are shown.' },
  'zh-CN': { empty: '所选训练没有文本。', step: '第 {step} 步', more: '共 {total} 条，显示最新的 {shown} 条。' },
};

function element(name, style, text = '') {
  const node = document.createElement(name);
  Object.assign(node.style, style);
  node.textContent = text; // never innerHTML: a log is not trusted to be harmless
  return node;
}

function noteOf(ctx, run, tag, point) {
  const card = element('article', {
    margin: '0 0 12px', padding: '10px 14px', background: 'var(--surface)', color: 'var(--text)',
    border: '1px solid var(--border)', borderLeft: `4px solid ${run.color}`, borderRadius: '6px',
  });
  const time = Number.isFinite(point.wall_time) ? new Date(point.wall_time * 1000).toLocaleString(ctx.locale.value) : '';
  const where = [run.name, tag, ctx.t('step', { step: point.step }), time].filter(Boolean).join(' · ');
  card.append(element('header', { color: 'var(--muted)', fontSize: '12px' }, where));
  for (const text of point.texts) {
    card.append(element('p', { margin: '6px 0 0', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }, text));
  }
  return card;
}

async function load(ctx, tags, signal) {
  const series = ctx.runs.selected.value.flatMap((run) => tags.tagsOf(run.name).map((tag) => ({ run, tag })));
  return Promise.all(series.map(async ({ run, tag }) => {
    const answer = await ctx.data.json('texts', { run: run.name, tag }, { signal }); // SKELETON: your routes
    return { run, tag, ...answer };
  }));
}

function draw(host, ctx, series) {
  const page = element('section', { padding: '16px', maxWidth: '960px' });
  for (const { run, tag, points, total } of series) {
    page.append(...points.toReversed().map((point) => noteOf(ctx, run, tag, point)));
    if (points.length < total) page.append(element('p', {}, ctx.t('more', { shown: points.length, total })));
  }
  if (series.length === 0) page.append(element('p', { color: 'var(--muted)' }, ctx.t('empty')));
  host.replaceChildren(page);
}

function mount(host, ctx) {
  let pending = new AbortController();
  let scheduled = false;

  async function refresh() {
    scheduled = false;
    pending.abort(); // only the newest answer is drawn
    const { value: tags } = ctx.tags;
    if (!tags || !ctx.visible.value) return;
    const { signal } = (pending = new AbortController());
    try {
      const series = await load(ctx, tags, signal);
      if (!signal.aborted) draw(host, ctx, series);
    } catch (error) {
      if (!signal.aborted) ctx.notify('error', String(error.message ?? error));
    }
  }
  function schedule() { // several signals change at once: refresh once
    if (!scheduled) queueMicrotask(refresh);
    scheduled = true;
  }
  // The theme needs no redraw: colours are custom properties of the page.
  const stops = [ctx.runs.selected, ctx.tags, ctx.changes, ctx.locale, ctx.visible].map((signal) => signal.subscribe(schedule));
  return () => {
    stops.forEach((stop) => stop());
    pending.abort();
  };
}

export default { apiVersion: 2, messages, mount };
