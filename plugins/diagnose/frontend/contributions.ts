/** Findings beyond the tab: how many problems there are, in the menu of a run, in the palette, and as columns. */
import { API, type Contributions, type PluginContext } from '@insight-host/api';
import { Page } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { findingsOfAll, isBehind, isPending } from './all_runs';
import { Dismissed } from './dismissed';
import { entriesOf, isProblem } from './entries';
import en from '../insight_diagnose/locales/en.json';
import zh from '../insight_diagnose/locales/zh-CN.json';

const COLORS: Readonly<Record<string, string>> = { error: 'var(--danger)', warning: 'var(--warn)' };
const RANKS = ['none', 'hint', 'warning', 'error'];
const APART = 30_000; // ms between two counts of data that grow

/**
 * Counts the problems of all runs, for the number at the tab: in one answer, so that very many runs, whose rest is only
 * checked when the tab or the strip is there, cost no more. The tab itself counts while it is in front.
 */
function count(ctx: PluginContext): () => void {
  const page = new Page(ctx);
  let known: Dismissed | null = null; // it asks, too
  let isWanted = false; // while nobody sees the page
  const ask = async (): Promise<void> => {
    isWanted = document.visibilityState === 'hidden';
    if (isWanted || ctx.runs.all.value.length === 0) return;
    const dismissed = (known ??= new Dismissed(page));
    const answer = await findingsOfAll(ctx);
    if (ctx.signal.aborted) return;
    if (answer.left === 0 && (isPending(answer) || isBehind(ctx, answer))) spaced.ask();
    const problems = entriesOf(answer.findings).filter((entry) => isProblem(entry) && !dismissed.hides(entry));
    ctx.badge(problems.length > 0 ? `${problems.length}${answer.left > 0 ? '+' : ''}` : '');
  };
  // a host that is away is the page's affair: the next question may be answered
  const spaced = new Spaced(APART, () => void ask().catch(() => undefined));
  const seen = (): void => {
    if (isWanted) spaced.ask();
  };
  page.until(ctx.generation.subscribe(() => spaced.ask()));
  document.addEventListener('visibilitychange', seen);
  return () => {
    document.removeEventListener('visibilitychange', seen);
    spaced.cancel();
    page.dispose();
  };
}

export default {
  apiVersion: API,
  messages: { en, 'zh-CN': zh },
  cards: [
    {
      id: 'answers',
      title: 'answers',
      strip: true,
      mount: async (host, ctx) => (await import('./answers_strip')).mountAnswers(host, ctx),
    },
  ],
  start: count,
  commands: [{ text: 'command', run: (ctx) => void ctx.open('diagnose') }],
  runActions: [
    {
      id: 'findings',
      text: 'command.run',
      run(run, ctx) {
        ctx.open('diagnose', { run });
      },
    },
  ],
  columns({ plugin, name }, ctx) {
    if (plugin !== 'diagnose' || name !== 'worst') return null;
    return {
      cell(value) {
        const cell = document.createElement('span');
        cell.textContent = ctx.t(`severity.${value}`);
        cell.style.color = COLORS[String(value)] ?? 'var(--muted)';
        return cell;
      },
      order: (value) => RANKS.indexOf(String(value)),
    };
  },
} satisfies Contributions;
