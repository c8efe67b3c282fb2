// What this plugin adds to the page beyond its tab. Plain JavaScript, no build step: the page imports it when it is idle.
import { element, settingsOf } from './settings.js';

const messages = {
  en: {
    checkpoint: 'Checkpoint at step {step}',
    images: 'Images of the last checkpoint',
    length: 'Points',
    none: 'The selected runs have no settings.',
    settings: 'Settings',
  },
  'zh-CN': {
    checkpoint: '第 {step} 步的检查点',
    images: '最后一个检查点的图像',
    length: '点数',
    none: '选中的训练没有设置。',
    settings: '设置',
  },
};

const openImages = (ctx, step) => void ctx.open('image', { step: String(step), link: '1' });
const checkpoints = async (ctx, signal) =>
  (await settingsOf(ctx, signal)).filter(({ checkpoint }) => Number.isFinite(checkpoint));

async function openLast(ctx) {
  const found = await checkpoints(ctx, ctx.signal);
  openImages(ctx, Math.max(...found.map(({ checkpoint }) => checkpoint)));
}

/** The column that `insight_run_columns` gives: a bar behind the number. */
function columns(column, ctx) {
  if (column.plugin !== 'extensions' || column.name !== 'length') return null;
  const most = Math.max(1, ...Object.values(column.values).map(Number));
  return {
    title: ctx.t('length'),
    cell: (value) => {
      const part = `${(100 * Number(value)) / most}%`;
      return element('span', Number(value).toLocaleString(ctx.locale.value), {
        display: 'block',
        background: `linear-gradient(to right, var(--accent-bg) ${part}, transparent ${part})`,
      });
    },
  };
}

async function markers({ runs, signal }, ctx) {
  const found = await checkpoints(ctx, signal);
  return found
    .filter(({ run }) => runs.includes(run))
    .map(({ run, checkpoint: step }) => ({
      run,
      step,
      text: ctx.t('checkpoint', { step }),
      open: () => openImages(ctx, step),
    }));
}

/** A list of the settings of the selected runs; the checkpoint leads to its images. */
function mount(host, ctx) {
  const draw = async () => {
    const selected = new Set(ctx.runs.selected.value.map((run) => run.name));
    const found = (await settingsOf(ctx, ctx.signal)).filter(({ run }) => selected.has(run));
    const rows = found.flatMap(({ run, settings, checkpoint }) => {
      const row = element('p', `${run}: ${settings.map(({ name, value }) => `${name} = ${value}`).join(', ')} `);
      if (Number.isFinite(checkpoint)) {
        const button = element('button', ctx.t('checkpoint', { step: checkpoint }));
        button.className = 'ih-button ih-small'; // as the page draws its own
        button.onclick = () => openImages(ctx, checkpoint);
        row.append(button);
      }
      return row;
    });
    host.replaceChildren(...(rows.length ? rows : [element('p', ctx.t('none'))]));
  };
  for (const source of [ctx.runs.selected, ctx.changes, ctx.locale]) source.subscribe(draw);
}

export default {
  apiVersion: 2,
  messages,
  commands: [{ text: 'images', run: openLast }],
  columns,
  markers,
  cards: [{ id: 'settings', title: 'settings', mount }],
};
