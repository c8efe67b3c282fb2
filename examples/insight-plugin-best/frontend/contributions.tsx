/** What this plugin adds to the page beyond its tab; the page imports it when it is idle. */
import { API, type Contributions, type PluginContext } from '@insight-host/api';
import { Page, valueText } from '@insight-host/kit';
import { render } from 'preact';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import { lowestOf, openImages } from './lowest';
import { Rows } from './rows';

async function openBest(ctx: PluginContext): Promise<void> {
  const selected = new Set(ctx.runs.selected.value.map((run) => run.name));
  const found = (await lowestOf(ctx, ['loss'], ctx.signal)).filter(({ run }) => selected.has(run));
  const [best] = [...found].sort((a, b) => a.value - b.value);
  if (best) openImages(ctx, best.step);
  else ctx.notify('info', ctx.t('none'));
}

export default {
  apiVersion: API,
  messages: { en, 'zh-CN': zh },
  commands: [{ text: 'open', run: openBest }],
  columns(column, ctx) {
    if (column.plugin !== 'best') return null;
    const least = Math.min(...Object.values(column.values).map(Number));
    return {
      cell: (value) => (value === least ? ctx.t('is.best', { value: valueText(least) }) : valueText(Number(value))),
    };
  },
  async markers({ tags, runs, signal }, ctx) {
    const found = await lowestOf(ctx, tags, signal);
    return found
      .filter(({ run }) => runs.includes(run))
      .map(({ run, step, value }) => ({
        run,
        step,
        text: ctx.t('lowest', { value: valueText(value), step }),
        open: () => openImages(ctx, step),
      }));
  },
  cards: [
    {
      id: 'best',
      title: 'card',
      order: -1,
      mount(host, ctx) {
        const page = new Page(ctx);
        render(<Rows page={page} />, host);
        return () => {
          render(null, host);
          page.dispose();
        };
      },
    },
  ],
} satisfies Contributions;
