/** Questions to the routes of the plugin: the newest answer of each, and pages of a list as they come into sight. */
import { message, type Page } from '@insight-host/kit';
import type { Area, Rows } from '@insight-host/kit/table';
import { signal } from '@preact/signals';

type Query = Readonly<Record<string, unknown>>;

/** The answer to one question at a time: that of an older question never replaces a newer one. */
export class Asking<T> {
  readonly value = signal<T | null>(null);
  readonly failure = signal<string | null>(null);
  readonly busy = signal(false);
  private key = '';
  private stop = new AbortController();

  constructor(private readonly page: Page) {
    page.until(() => this.stop.abort());
  }

  /** Asks, unless `route` and `query` are what was asked for last; null forgets the answer. */
  ask(route: string, query: Query | null): void {
    const key = query === null ? '' : JSON.stringify([route, query]);
    if (key === this.key && this.failure.peek() === null) return;
    if (query === null) this.value.value = null;
    this.key = key;
    this.again(route, query);
  }

  /** Asks once more; what is shown stays until the answer is there. */
  again(route: string, query: Query | null): void {
    this.stop.abort();
    this.stop = new AbortController();
    this.failure.value = null;
    this.busy.value = query !== null;
    if (query !== null) void this.work(route, query, this.stop.signal);
  }

  private async work(route: string, query: Query, stop: AbortSignal): Promise<void> {
    try {
      const answer = await this.page.ctx.data.json<T>(route, query as never, { signal: stop });
      if (stop.aborted) return;
      this.value.value = answer;
    } catch (error) {
      if (stop.aborted) return;
      this.failure.value = message(error);
    }
    this.busy.value = false;
  }
}

interface Page_<L> {
  readonly total: number;
  readonly samples: readonly L[];
}

const TOGETHER = 100; // lines of one request

/** A list of which only the pages in sight are asked for. */
export class Lines<L> implements Rows<L> {
  readonly version = signal(0);
  readonly failure = signal<string | null>(null);
  readonly busy = signal(false);
  readonly total = signal<number | null>(null);
  private readonly pages = new Map<number, readonly L[] | null>();
  private query: Query | null = null;
  private stop = new AbortController();

  constructor(
    private readonly page: Page,
    private readonly route: string,
  ) {
    page.until(() => this.stop.abort());
  }

  get count(): number {
    return this.total.value ?? 0;
  }

  at(row: number): L | null {
    return this.pages.get(Math.floor(row / TOGETHER))?.[row % TOGETHER] ?? null;
  }

  look({ row, rowEnd }: Area): void {
    for (let at = Math.floor(row / TOGETHER); at * TOGETHER < rowEnd; at++) this.load(at);
  }

  /** Another question; null: none. With `keeps`, what is shown stays until the first page is there. */
  want(query: Query | null, keeps = false): void {
    this.stop.abort();
    this.stop = new AbortController();
    this.query = query;
    this.failure.value = null;
    this.pages.clear();
    if (!keeps) this.total.value = null;
    this.version.value = this.version.peek() + 1;
    if (query !== null) this.load(0);
  }

  /** The lines that are here. */
  get here(): readonly L[] {
    return [...this.pages.keys()].sort((a, b) => a - b).flatMap((at) => this.pages.get(at) ?? []);
  }

  private load(at: number): void {
    if (this.query === null || this.pages.has(at)) return;
    this.pages.set(at, null);
    void this.work(at, this.query, this.stop.signal);
  }

  private async work(at: number, query: Query, stop: AbortSignal): Promise<void> {
    this.busy.value = true;
    try {
      const asked = { ...query, offset: at * TOGETHER, limit: TOGETHER };
      const { total, samples } = await this.page.ctx.data.json<Page_<L>>(this.route, asked as never, { signal: stop });
      if (stop.aborted) return;
      this.pages.set(at, samples);
      this.total.value = total;
    } catch (error) {
      if (stop.aborted) return;
      this.pages.delete(at);
      this.failure.value = message(error);
    }
    this.busy.value = false;
    this.version.value = this.version.peek() + 1;
  }
}
