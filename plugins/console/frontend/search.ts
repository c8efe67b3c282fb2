/** Asks the host for the lines of logs in which a text is found, slice by slice. */
import { statusOf, type Page } from '@insight-host/kit';
import type { SearchSlice } from '@insight-host/kit/texts';

export interface Place {
  readonly run: string;
  readonly tag: string;
}
export interface Hit extends Place {
  readonly line: number;
  readonly text: string;
}
interface Wanted {
  readonly q: string;
  readonly isRegex: boolean;
  readonly places: readonly Place[];
}

interface Answer {
  readonly hits: readonly (readonly [line: number, text: string])[];
  readonly next: readonly [offset: number, line: number] | null;
  readonly size: number;
}

const WRONG = 400; // the pattern itself is refused: no other log will take it

/** Searches one log after the other; one that cannot be read does not end it. */
export async function* searchLogs(
  page: Page,
  { q, isRegex, places }: Wanted,
  signal: AbortSignal,
): AsyncIterable<SearchSlice<Hit>> {
  for (const [done, { run, tag }] of places.entries()) {
    let from: Answer['next'] = [0, 0];
    let lastLine = -1; // with a hit
    while (from) {
      const query: Readonly<Record<string, string | number>> = {
        run,
        tag,
        q,
        offset: from[0],
        line: from[1],
        ...(isRegex && { regex: '1' }),
      };
      try {
        const { hits, next, size }: Answer = await page.ctx.data.json<Answer>('search', query, { signal });
        const found = hits.filter(([line]) => line !== lastLine); // a very long line is searched in several slices
        lastLine = hits.at(-1)?.[0] ?? lastLine;
        yield {
          hits: found.map(([line, text]) => ({ run, tag, line, text })),
          share: (done + (next ? next[0] / Math.max(1, size) : 1)) / places.length,
        };
        from = next;
      } catch (failure) {
        if (places.length === 1 || statusOf(failure) === WRONG) throw failure;
        yield { hits: [], share: (done + 1) / places.length, failure };
        from = null;
      }
    }
  }
}
