/** Rows of a table that the server paginates as the user scrolls. */
import { signal } from '@preact/signals';
import { isAway, message } from '@insight-host/kit';
import type { RequestQueue } from '@insight-host/kit/lab';
import type { Area, Rows } from '@insight-host/kit/table';
import { useEffect, useMemo } from 'preact/hooks';
import type { Row, TableAnswer } from '../answers/table';
import type { ProfilerParts } from '../board';

export const PAGE = 200;
const AHEAD = 6; // rows around those in sight
const PAUSE = 2000; // ms before what failed, or what is not all, is asked for again

export type Ask<A> = (offset: number, limit: number, signal: AbortSignal) => Promise<A>;

/** Pages of one question at a time; those of the question before stay until the first of the new one is here. */
export class ServerRows<A extends TableAnswer> implements Rows<Row> {
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

  get count(): number {
    return this.head.value?.total ?? 0;
  }

  at(row: number): Row | null {
    void this.arrived.value;
    return this.pages.get(Math.floor(row / PAGE))?.[row % PAGE] ?? null;
  }

  /** Another question; the same key asks for nothing. */
  want(key: string, request: Ask<A>): void {
    if (key === this.key) return;
    this.key = key;
    this.request = request;
    this.stop();
    this.loadSight();
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
      const answer = await this.queue.run(
        () => 0,
        stop.signal,
        () => request(page * PAGE, PAGE, stop.signal),
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

export type Query = Readonly<Record<string, string | number | boolean | null>>;

/** Paginated rows of a route; requested again when more of the profile was read. */
export function useRows<A extends TableAnswer>(
  board: ProfilerParts,
  route: string,
  query: Query,
): { readonly rows: ServerRows<A>; readonly question: string; readonly query: Query } {
  const rows = useMemo(() => new ServerRows<A>(board.queue), []);
  const { value: profile } = board.profiles.profile;
  const all = { ...board.profiles.query.value, ...query };
  const question = JSON.stringify([route, all]);
  const key = `${question}${profile?.version ?? ''}${profile?.complete ?? ''}`;
  const isAsked = board.page.visible.value && profile !== null && profile.state !== 'failed';
  useEffect(() => {
    if (isAsked)
      rows.want(key, (offset, limit, signal) =>
        board.page.ctx.data.json<A>(route, { ...all, offset, limit }, { signal }),
      );
  }, [key, isAsked]);
  useEffect(() => () => rows.stop(), []);
  return { rows, question, query: all };
}
