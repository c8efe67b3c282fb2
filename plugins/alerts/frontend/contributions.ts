/** Shows new alerts in every tab: a notice, a number at the tab of alerts, and marks in charts. */
import { API, type Contributions, type PluginContext } from '@insight-host/api';
import { Spaced } from '@insight-host/kit/lab';
import { signal } from '@preact/signals';
import { follow, open, seen, textOf, type Alert, type Answer } from './alerts';
import en from '../insight_alerts/locales/en.json';
import zh from '../insight_alerts/locales/zh-CN.json';

const SPACE = 2000; // ms between two requests, at least
const MOST = 3; // notices for one answer; the number at the tab counts all alerts

const known = signal<readonly Alert[]>([]);

function watch(ctx: PluginContext): () => void {
  let total: number | null = null; // null: nothing was asked yet
  const ask = async (): Promise<void> => {
    const answer = await ctx.data.json<Answer>('found', { after: total ?? 0 }, { signal: ctx.signal });
    if (total !== null && answer.total < total) {
      total = null; // the host has forgotten: its journal is not kept
      return ask();
    }
    const before = total === null ? [] : known.value;
    if (total !== null)
      for (const alert of answer.alerts.slice(-MOST)) ctx.notify('warn', `${alert.rule}: ${textOf(ctx, alert)}`);
    if (answer.alerts.length > 0) known.value = [...before, ...answer.alerts];
    total = answer.total;
    const unseen = total - Math.min(seen(ctx), total);
    ctx.badge(unseen > 0 ? String(unseen) : '');
  };
  // a host that is away is the page's affair: the next question may be answered
  const spaced = new Spaced(SPACE, () => void ask().catch(() => undefined));
  const stop = follow(ctx, () => spaced.ask());
  return () => {
    stop();
    spaced.cancel();
  };
}

export default {
  apiVersion: API,
  messages: { en, 'zh-CN': zh },
  start: watch,
  changed: known,
  markers: ({ tags, runs }, ctx) =>
    known.value.flatMap((alert) =>
      alert.step !== null && tags.includes(alert.tag) && runs.includes(alert.run)
        ? [
            {
              step: alert.step,
              run: alert.run,
              text: `${alert.rule}: ${textOf(ctx, alert)}`,
              open: () => open(ctx, alert),
            },
          ]
        : [],
    ),
} satisfies Contributions;
