/** A search in one log or in those of all runs: slice by slice, with hits and counts as they come. */
import { message, type Page } from '@insight-host/kit';
import { signal } from '@preact/signals';

export interface Place {
  readonly run: string;
  readonly tag: string;
}
export interface Hit extends Place {
  readonly line: number;
  readonly text: string;
}
export interface Wanted {
  readonly q: string;
  readonly isRegex: boolean;
  readonly places: readonly Place[];
}

interface Answer {
  readonly hits: readonly (readonly [line: number, text: string])[];
  readonly next: readonly [offset: number, line: number] | null;
  readonly size: number;
}

const MOST = 2000; // hits that are listed; all are counted

export class Search {
  readonly hits = signal<readonly Hit[]>([]);
  readonly count = signal(0);
  /** The share of the logs that is searched; 1 at the end. */
  readonly share = signal(1);
  readonly failure = signal<string | null>(null);
  readonly current = signal(-1);
  private stop = new AbortController();

  constructor(private readonly page: Page) {
    page.until(() => this.stop.abort());
  }

  /** Searches anew; what was wanted before ends. */
  want({ q, isRegex, places }: Wanted): void {
    this.stop.abort();
    this.stop = new AbortController();
    this.hits.value = [];
    this.count.value = 0;
    this.current.value = -1;
    this.failure.value = null;
    this.share.value = q === '' ? 1 : 0;
    if (q !== '') void this.work(q, isRegex, places, this.stop.signal);
  }

  /** The next hit, or the one before; goes round. Undefined without hits. */
  step(by: 1 | -1): Hit | undefined {
    const { length } = this.hits.value;
    if (length === 0) return undefined;
    const from = this.current.value < 0 && by < 0 ? 0 : this.current.value;
    this.current.value = (from + by + length) % length;
    return this.hits.value[this.current.value];
  }

  private async work(q: string, isRegex: boolean, places: readonly Place[], stop: AbortSignal): Promise<void> {
    for (const [done, place] of places.entries()) {
      let from: Answer['next'] = [0, 0];
      let lastLine = -1; // with a hit
      while (from) {
        const query = {
          run: place.run,
          tag: place.tag,
          q,
          offset: from[0],
          line: from[1],
          ...(isRegex && { regex: '1' }),
        };
        try {
          const answer: Answer = await this.page.ctx.data.json<Answer>('search', query, { signal: stop });
          if (stop.aborted) return;
          this.take(place, answer, lastLine);
          lastLine = answer.hits.at(-1)?.[0] ?? lastLine;
          this.share.value = (done + (answer.next ? answer.next[0] / Math.max(1, answer.size) : 1)) / places.length;
          from = answer.next;
        } catch (error) {
          if (stop.aborted) return;
          this.failure.value = message(error);
          if (places.length === 1 || isWrong(error)) return;
          from = null; // the others are searched all the same
        }
      }
    }
    this.share.value = 1;
  }

  private take({ run, tag }: Place, { hits }: Answer, lastLine: number): void {
    const found = hits.filter(([line]) => line !== lastLine); // a very long line is searched in several slices
    if (found.length === 0) return;
    this.count.value += found.length;
    const room = MOST - this.hits.value.length;
    if (room > 0)
      this.hits.value = [...this.hits.value, ...found.slice(0, room).map(([line, text]) => ({ run, tag, line, text }))];
  }
}

/** The pattern itself is refused: no other log will take it. */
const isWrong = (error: unknown): boolean => error instanceof Error && 'status' in error && error.status === 400;
