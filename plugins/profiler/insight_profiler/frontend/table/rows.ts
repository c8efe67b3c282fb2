/** Sources of table rows: complete, or paginated by the server as the user scrolls. */
import { signal } from '@preact/signals';
import { isAway, message, type RequestQueue } from '@insight-host/kit';
import type { Cell, ColumnInfo, Row, TableAnswer } from '../contract';
import type { Sort } from './settings';

export interface Rows {
  readonly columns: readonly ColumnInfo[];
  readonly total: number;
  /** null: it is not here yet. */
  row(at: number): Row | null;
  /** These are in sight, `last` not included. */
  look(first: number, last: number): void;
}

export const PAGE = 200;
const PAUSE = 2000; // ms before what failed, or what is not all, is asked for again

export type Ask<A> = (offset: number, limit: number, signal: AbortSignal) => Promise<A>;

/** Pages of one question at a time; those of the question before stay until the first of the new one is here. */
export class ServerRows<A extends TableAnswer> implements Rows {
  /** The latest answer, whichever page it brought. */
  readonly head = signal<A | null>(null);
  readonly busy = signal(false);
  readonly error = signal<string | null>(null);
  /** It is asked for again by itself: the host is away, or has nothing of it yet. */
  readonly waits = signal(false);
  private readonly arrived = signal(0);
  private key = '';
  private shown = '';
  private request: Ask<A> | null = null;
  private pages = new Map<number, readonly Row[]>();
  private readonly loading = new Map<number, AbortController>();
  private sight: readonly [number, number] = [0, 1];
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly queue: RequestQueue) {}

  get columns(): readonly ColumnInfo[] {
    return this.head.value?.columns ?? [];
  }

  get total(): number {
    return this.head.value?.total ?? 0;
  }

  row(at: number): Row | null {
    void this.arrived.value;
    return this.pages.get(Math.floor(at / PAGE))?.[at % PAGE] ?? null;
  }

  /** Another question; the same key asks for nothing. */
  want(key: string, request: Ask<A>): void {
    if (key === this.key) return;
    this.key = key;
    this.request = request;
    this.stop();
    this.loadSight();
  }

  look(first: number, last: number): void {
    this.sight = [first, last];
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
    if (this.error.peek() !== null) return;
    const isNew = this.shown !== this.key;
    const [first, last] = this.sight;
    const most = isNew ? Infinity : (this.head.peek()?.total ?? 0);
    const start = Math.floor(first / PAGE);
    for (let page = start; page === start || page * PAGE < Math.min(last, most); page++) {
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
      const answer = await this.queue.run(() => 0, stop.signal, () => request(page * PAGE, PAGE, stop.signal));
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

/** A small table that is here as a whole, sorted in the page. */
export class LocalRows implements Rows {
  readonly columns: readonly ColumnInfo[];
  private readonly rows: readonly Row[];

  constructor({ columns, rows }: Pick<TableAnswer, 'columns' | 'rows'>, sort: Sort | null, query = '') {
    this.columns = columns;
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? rows : rows.filter((row) => words.every((word) => row.some((cell) => typeof cell === 'string' && cell.toLowerCase().includes(word))));
    const at = sort ? columns.findIndex(({ name }) => name === sort.column) : -1;
    this.rows = at < 0 ? found : [...found].sort((a, b) => compared(a[at] ?? null, b[at] ?? null, sort?.down === true));
  }

  get total(): number {
    return this.rows.length;
  }

  row(at: number): Row | null {
    return this.rows[at] ?? null;
  }

  look(): void {
    // everything is here
  }
}

/** What is missing comes last, whichever way. */
function compared(a: Cell, b: Cell, down: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  return down ? -order : order;
}
