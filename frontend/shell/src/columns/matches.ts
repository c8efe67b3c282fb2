/** Asks the host which runs an expression in the filter matches. */
import { message } from '@insight-host/kit';
import { isExpression, Spaced } from '@insight-host/kit/lab';
import type { Reason } from '@insight-host/api';
import { effect, untracked } from '@preact/signals';
import { getJson, RequestError } from '../data/http';
import { reasonText } from '../i18n/texts';
import type { Matched } from '../state/selection';
import type { Page } from '../state/page';

const AGAIN = 3000; // ms between two questions while data change
const GOING_ON = 60_000; // ms until the status of runs is asked for again: silence alone ends those that go on
const TYPING = 120; // ms without a key
const UNFINISHED = 900; // more of them until it is said that a text has to go on

const RIGHT = { suggestions: [], position: 0, length: 0, isUnfinished: false };

/** What the host says of an expression that it refuses. */
function mistake(cause: unknown, locale: string): Omit<Matched, 'text' | 'runs'> {
  const { reason, suggestions, position, length } = cause instanceof RequestError ? cause.details : {};
  if (typeof reason !== 'object' || reason === null) return { ...RIGHT, error: message(cause) };
  const { code = '' } = reason as Reason;
  return {
    error: reasonText(reason as Reason, locale),
    suggestions: Array.isArray(suggestions) ? suggestions.map(String) : [],
    position: Number(position ?? 0),
    length: Number(length ?? 0),
    isUnfinished: code.startsWith('expression_unfinished'),
  };
}

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
      runs.matched.value = { ...RIGHT, text, runs: new Set(names), error: null };
      if (/status/i.test(text)) later = setTimeout(() => changed.ask(), GOING_ON);
    } catch (cause) {
      if (mine.signal.aborted) return;
      const wrong = { ...mistake(cause, page.preferences.locale.value), text, runs: null };
      const say = (): void => void (runs.matched.value = wrong);
      if (wrong.isUnfinished) later = setTimeout(say, UNFINISHED);
      else say();
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
