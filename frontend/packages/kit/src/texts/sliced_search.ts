import { message, type Page } from '@insight-host/kit/lab';
import { signal } from '@preact/signals';

/** What a part of a search found. */
export interface SearchSlice<Hit> {
  readonly hits: readonly Hit[];
  /** The share of all that is searched by now; 1 at the end. */
  readonly share: number;
  /** Why a part could not be searched; the search goes on. */
  readonly failure?: unknown;
}

const MOST = 2000; // hits that are listed; all are counted

/** A search in more than one answer can have: hits and counts as they come. */
export class SlicedSearch<Hit> {
  readonly hits = signal<readonly Hit[]>([]);
  readonly count = signal(0);
  /** The share that is searched; 1 at the end. */
  readonly share = signal(1);
  readonly failure = signal<string | null>(null);
  /** Place of the hit that is shown; -1 before the first. */
  readonly current = signal(-1);
  private stop = new AbortController();

  constructor(page: Page) {
    page.until(() => this.stop.abort());
  }

  /** Searches again: `slices` asks the host until it is at the end, or throws. null: nothing is wanted. */
  want(slices: ((stop: AbortSignal) => AsyncIterable<SearchSlice<Hit>>) | null): void {
    this.stop.abort();
    this.stop = new AbortController();
    this.hits.value = [];
    this.count.value = 0;
    this.current.value = -1;
    this.failure.value = null;
    this.share.value = slices ? 0 : 1;
    if (slices) void this.work(slices, this.stop.signal);
  }

  /** The next hit, or the one before; goes round. Undefined without hits. */
  step(by: 1 | -1): Hit | undefined {
    const { length } = this.hits.value;
    if (length === 0) return undefined;
    const from = this.current.value < 0 && by < 0 ? 0 : this.current.value;
    this.current.value = (from + by + length) % length;
    return this.hits.value[this.current.value];
  }

  private async work(slices: (stop: AbortSignal) => AsyncIterable<SearchSlice<Hit>>, stop: AbortSignal): Promise<void> {
    try {
      for await (const { hits, share, failure } of slices(stop)) {
        if (stop.aborted) return;
        this.count.value += hits.length;
        const room = MOST - this.hits.value.length;
        if (room > 0 && hits.length > 0) this.hits.value = [...this.hits.value, ...hits.slice(0, room)];
        this.share.value = share;
        if (failure !== undefined) this.failure.value = message(failure);
      }
    } catch (error) {
      if (stop.aborted) return;
      this.failure.value = message(error);
    }
    if (!stop.aborted) this.share.value = 1;
  }
}
