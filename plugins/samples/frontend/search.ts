/** A search in the texts of all samples: slice by slice, with hits as they come. */
import { message, type Page } from '@insight-host/kit';
import { signal } from '@preact/signals';
import type { Hits, Line } from './answers';

const MOST = 1000; // hits that are listed; all are counted

export class Search {
  readonly hits = signal<readonly Line[]>([]);
  readonly count = signal(0);
  /** The share of the samples that is searched; 1 at the end. */
  readonly share = signal(1);
  readonly failure = signal<string | null>(null);
  private stop = new AbortController();

  constructor(private readonly page: Page) {
    page.until(() => this.stop.abort());
  }

  /** Searches anew; what was wanted before ends. null: nothing is wanted. */
  want(query: Readonly<Record<string, unknown>> | null): void {
    this.stop.abort();
    this.stop = new AbortController();
    this.hits.value = [];
    this.count.value = 0;
    this.failure.value = null;
    this.share.value = query === null ? 1 : 0;
    if (query !== null) void this.work(query, this.stop.signal);
  }

  private async work(query: Readonly<Record<string, unknown>>, stop: AbortSignal): Promise<void> {
    let start: number | null = 0;
    while (start !== null) {
      try {
        const asked: Readonly<Record<string, unknown>> = { ...query, start };
        const answer: Hits = await this.page.ctx.data.json<Hits>('search', asked as never, { signal: stop });
        if (stop.aborted) return;
        this.count.value += answer.samples.length;
        const room = MOST - this.hits.value.length;
        if (room > 0 && answer.samples.length > 0)
          this.hits.value = [...this.hits.value, ...answer.samples.slice(0, room)];
        start = answer.next;
        this.share.value = start === null ? 1 : start / Math.max(1, answer.of);
      } catch (error) {
        if (stop.aborted) return;
        this.failure.value = message(error);
        start = null;
      }
    }
    this.share.value = 1;
  }
}
