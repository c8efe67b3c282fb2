/** "Add to report" in the menus of cards, and the file of the page in the palette. */
import { API, type CardSpec, type Contributions, type PluginContext } from '@insight-host/api';
import { codecs } from '@insight-host/kit';
import en from '../insight_reports/locales/en.json';
import zh from '../insight_reports/locales/zh-CN.json';
import { DELETED, fenceOf, LAST, type Report } from './report';

export default {
  apiVersion: API,
  messages: { en, 'zh-CN': zh },
  commands: [{ text: 'file.page', about: 'view', run: savePage }],
  cardActions: [{ id: 'add', text: 'add', run: add }],
} satisfies Contributions;

let last: Promise<unknown> = Promise.resolve();

/** Cards are added one after the other: each needs the version that the one before it made. */
function add(card: CardSpec, ctx: PluginContext): Promise<void> {
  const added = last.then(() => append(card, ctx));
  last = added.catch(() => undefined);
  return added;
}

/** Adds a card to the end of the report that was opened last, or to a new one. */
async function append(card: CardSpec, ctx: PluginContext): Promise<void> {
  const known = ctx.memory.get<string>(LAST, '');
  const name = known && !known.startsWith(DELETED) ? known : ctx.t('new.name');
  const before = await ctx.saved.get<Report>(name);
  const text = [before?.value.text.trimEnd(), fenceOf(card)].filter(Boolean).join('\n\n');
  await ctx.saved.set(name, { text: `${text}\n` } satisfies Report, before?.version ?? null);
  ctx.memory.set(LAST, name);
  ctx.notify('info', ctx.t('added', { name }), {
    text: ctx.t('added.open'),
    run: () => void ctx.open(ctx.name, { open: codecs.name.format(name) }),
  });
}

/** The page as it is shown, as a file that works offline. */
function savePage(ctx: PluginContext): void {
  const link = document.createElement('a');
  const state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  link.href = ctx.data.href('snapshot', { state: JSON.stringify(state) });
  link.download = '';
  link.click();
}
