import { isAway, message, RequestQueue } from '@insight-host/kit/lab';
import { signal } from '@preact/signals';
import type { Rows } from './contract';
import type { Area } from './selection';

/** Some rows of a table that the host has. */
export interface RowsAnswer<Row> {
  readonly rows: readonly Row[];
  /** How many there are. */
  readonly total: number;
  /** False: there will be more, and it is asked again. */
  readonly complete?: boolean;
}

export interface ServedRowsOptions {
  /** With whose requests it shares the limit of requests at a time; without it, with nobody's. */
  readonly queue?: RequestQueue;
  /** Rows of one request. */
  readonly page?: number;
}

const PAGE = 200;
const AT_ONCE = 2; // requests of a table that shares no queue
const AHEAD = 6; // rows around those in sight
const PAUSE = 2000; // ms before what failed, or what is not all, is asked for again

/**
 * Rows that the host gives page by page as they come into sight. Those of the question before stay until the first of
 * the new one are here.
 */
export class ServedRows<Row, Answer extends RowsAnswer<Row> = RowsAnswer<Row>> implements Rows<Row> {
  /** The latest answer, whichever page it brought. */
  readonly head = signal<Answer | null>(null);
  readonly busy = signal(false);
  readonly error = signal<string | null>(null);
  /** It is asked for again by itself: the host is away, or has nothing of it yet. */
  readonly waits = signal(false);
  private readonly arrived = signal(0);
  private readonly queue: RequestQueue;
  private readonly page: number;
  private key = '';
  private shown = '';
  private request: ((offset: number, limit: number, signal: AbortSignal) => Promise<Answer>) | null = null;
  private pages = new Map<number, readonly Row[]>();
  private readonly loading = new Map<number, AbortController>();
  private sight: readonly [number, number] = [0, 1];
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor({ queue = new RequestQueue(AT_ONCE), page = PAGE }: ServedRowsOptions = {}) {
    this.queue = queue;
    this.page = page;
  }

  get count(): number {
    return this.head.value?.total ?? 0;
  }

  at(row: number): Row | null {
    void this.arrived.value;
    return this.pages.get(Math.floor(row / this.page))?.[row % this.page] ?? null;
  }

  /** The rows that are here, in their order. */
  get here(): readonly Row[] {
    void this.arrived.value;
    return [...this.pages.keys()].sort((a, b) => a - b).flatMap((page) => this.pages.get(page) ?? []);
  }

  /** Another question; the same key asks for nothing. */
  want(key: string, request: (offset: number, limit: number, signal: AbortSignal) => Promise<Answer>): void {
    if (key === this.key) return;
    this.key = key;
    this.request = request;
    this.stop();
    this.loadSight();
  }

  /** Nothing is wanted, and nothing is shown. */
  forget(): void {
    this.stop();
    this.key = this.shown = '';
    this.request = null;
    this.pages = new Map();
    this.head.value = null;
    this.arrived.value = this.arrived.peek() + 1;
  }

  look({ row, rowEnd }: Pick<Area, 'row' | 'rowEnd'>): void {
    this.sight = [Math.max(0, row - AHEAD), rowEnd + AHEAD];
    this.loadSight();
  }

  retry(): void {
    this.error.value = null;
    this.loadSight();
  }

  /** The same question once more; what is here stays until the answer is. */
  private refresh(): void {
    this.shown = '';
    this.loadSight();
  }

  /** Nobody looks any longer. */
  stop(): void {
    clearTimeout(this.again);
    for (const stop of this.loading.values()) stop.abort();
    this.loading.clear();
    this.busy.value = false;
    this.error.value = null;
  }

  private loadSight(): void {
    if (this.request === null || this.error.peek() !== null) return;
    const isNew = this.shown !== this.key;
    const [first, last] = this.sight;
    const most = isNew ? Infinity : (this.head.peek()?.total ?? 0);
    const start = Math.floor(first / this.page);
    for (let page = start; page === start || page * this.page < Math.min(last, most); page++) {
      if ((isNew || !this.pages.has(page)) && !this.loading.has(page)) void this.load(page);
    }
  }

  private async load(page: number): Promise<void> {
    const { key, request } = this;
    if (!request) return;
    const stop = new AbortController();
    this.loading.set(page, stop);
    this.busy.value = true;
    try {
      const answer = await this.queue.run(
        () => 0,
        stop.signal,
        () => request(page * this.page, this.page, stop.signal),
      );
      if (stop.signal.aborted) return;
      if (this.shown !== key) {
        this.shown = key;
        this.pages = new Map();
      }
      this.pages.set(page, answer.rows);
      this.head.value = answer;
      this.arrived.value++;
      clearTimeout(this.again);
      if (answer.complete === false) this.again = setTimeout(() => this.refresh(), PAUSE);
    } catch (error) {
      if (stop.signal.aborted) return;
      this.waits.value = isAway(error);
      this.error.value = message(error);
      if (this.waits.value) this.again = setTimeout(() => this.retry(), PAUSE);
    }
    this.loading.delete(page);
    this.busy.value = this.loading.size > 0;
  }
}
