/** Asks the host which runs an expression in the filter matches. */
import { message } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { effect, untracked } from '@preact/signals';
import { RequestError } from '../data/errors';
import { getJson } from '../data/http';
import { isExpression } from '../state/filter';
import type { Page } from '../state/page';

const AGAIN = 3000; // ms between two questions while data change
const GOING_ON = 60_000; // ms until the status of runs is asked for again: silence alone ends those that go on
const TYPING = 120; // ms without a key

/** Follows the filter, and the data, from now on. */
export function followExpression(page: Page): void {
  const { runs, session } = page;
  const typed = new Spaced(TYPING, () => void ask());
  const changed = new Spaced(AGAIN, () => void ask());
  let request: AbortController | null = null;
  let later: ReturnType<typeof setTimeout> | undefined;
  const ask = async (): Promise<void> => {
    request?.abort();
    clearTimeout(later);
    const { value: text } = runs.filterText;
    if (!isExpression(text)) return;
    const mine = (request = new AbortController());
    try {
      const { runs: names } = await getJson<{ readonly runs: readonly string[] }>(
        'data/run_matches',
        { where: text },
        mine.signal,
      );
      runs.matched.value = { text, runs: new Set(names), error: null, suggestions: [], position: 0 };
      if (/status/i.test(text)) later = setTimeout(() => changed.ask(), GOING_ON);
    } catch (cause) {
      if (mine.signal.aborted) return;
      const details = cause instanceof RequestError ? cause.details : {};
      const suggestions = Array.isArray(details['suggestions']) ? details['suggestions'].map(String) : [];
      const position = Number(details['position'] ?? 0);
      runs.matched.value = { text, runs: null, error: message(cause), suggestions, position };
    }
  };
  effect(() => {
    if (isExpression(runs.filterText.value)) untracked(() => typed.ask());
  });
  effect(() => {
    void [session.generation.value, session.annotations.byRun.value]; // notes are columns, too
    if (untracked(() => isExpression(runs.filterText.value))) changed.ask();
  });
}
