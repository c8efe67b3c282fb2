/** The findings of all runs that are not archived, which the strip and the number at the tab share. */
import type { PluginContext } from '@insight-host/api';
import { NOTHING, type Answer } from './answer';

const WAIT = 5000; // ms until the host answers with what it knows
const FRESH = 10_000; // ms for which the answer is asked for once: alerts change while the data do not

let last: { readonly question: string; readonly at: number; readonly answer: Promise<Answer> } | null = null;

/** Whether a rule still checks something, though no run is left: the next question gets further. */
export const isPending = ({ unchecked }: Answer): boolean => unchecked.some(({ pending }) => pending);

/** Whether data have changed since the host found this out for another page: the question is to be asked again. */
export const isBehind = (ctx: PluginContext, { generation }: Answer): boolean => generation < ctx.generation.value;

/**
 * Asks what is found by now, or joins the last question if it was the same. An answer that leaves something unchecked
 * is not shared once it is there: the next question gets further.
 */
export async function findingsOfAll(ctx: PluginContext): Promise<Answer> {
  const run = ctx.runs.all.value.filter(({ archived }) => !archived).map(({ name }) => name);
  if (run.length === 0) return NOTHING;
  const question = JSON.stringify([ctx.generation.value, run]);
  if (last?.question === question && performance.now() - last.at < FRESH) {
    try {
      return await last.answer;
    } catch {
      // the tab that asked has ended: it is asked again
    }
  }
  const asked = {
    question,
    at: performance.now(),
    answer: ctx.data.json<Answer>('recent_findings', { run, wait: WAIT }),
  };
  last = asked;
  const forget = (): void => {
    if (last === asked) last = null;
  };
  asked.answer.then((answer) => (answer.left > 0 || isPending(answer)) && forget(), forget);
  return asked.answer;
}
