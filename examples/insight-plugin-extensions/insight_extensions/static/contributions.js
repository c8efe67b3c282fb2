// What this plugin adds to the page beyond its tab. Plain JavaScript, no build step: the page imports it when it is idle.
import { element, settingsOf } from './settings.js';

const messages = {
  en: {
    checkpoint: 'Checkpoint at step {step}',
    images: 'Images of the last checkpoint',
    length: 'Points',
    none: 'The selected runs have no settings.',
    saveCard: 'Save what it shows as JSON',
    saveSettings: 'Save the settings',
    settings: 'Settings',
    without: '{run} has no settings.',
  },
  'zh-CN': {
    checkpoint: '第 {step} 步的检查点',
    images: '最后一个检查点的图像',
    length: '点数',
    none: '选中的训练没有设置。',
    saveCard: '将显示内容保存为 JSON',
    saveSettings: '保存设置',
    settings: '设置',
    without: '{run} 没有设置。',
  },
};

const openImages = (ctx, step) => void ctx.open('image', { step: String(step), link: '1' });
const checkpoints = async (ctx, signal) =>
  (await settingsOf(ctx, signal)).filter(({ checkpoint }) => Number.isFinite(checkpoint));

async function openLast(ctx) {
  const found = await checkpoints(ctx, ctx.signal);
  openImages(ctx, Math.max(...found.map(({ checkpoint }) => checkpoint)));
}

const save = (ctx, name, value) => ctx.ui.download(name, new Blob([JSON.stringify(value, null, 1)]));

/** In the menu of a card of any tab: the card as it can be shown again, by `ctx.showCard`. */
const saveCard = (card, ctx) => save(ctx, 'card.json', card);

/** In the menu of a run. */
async function saveSettings(run, ctx) {
  const found = (await settingsOf(ctx, ctx.signal)).find((one) => one.run === run);
  if (found) save(ctx, 'settings.json', found.settings);
  else ctx.notify('info', ctx.t('without', { run }));
}

/** Puts the number of checkpoints at the tab, now and whenever data of the plugin change. */
function start(ctx) {
  const count = async () => ctx.badge(String((await checkpoints(ctx, ctx.signal)).length || ''));
  return ctx.changes.subscribe(() => count().catch(() => ctx.badge('')));
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

/** A card with the settings of the selected runs; the checkpoint leads to its images. */
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
  const failed = (cause) => {
    if (!ctx.signal.aborted) host.replaceChildren(element('p', String(cause.message ?? cause)));
  };
  const sources = [ctx.runs.selected, ctx.changes, ctx.locale];
  const stops = sources.map((source) => source.subscribe(() => draw().catch(failed)));
  return () => stops.forEach((stop) => stop());
}

export default {
  apiVersion: 2,
  messages,
  commands: [{ text: 'images', run: openLast }],
  columns,
  markers,
  start,
  cards: [{ id: 'settings', title: 'settings', tabs: ['scalar', 'image', 'histogram'], mount }],
  cardActions: [{ id: 'card', text: 'saveCard', run: saveCard }],
  runActions: [{ id: 'settings', text: 'saveSettings', run: saveSettings }],
};
