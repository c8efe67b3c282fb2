/** One log as the page sees it: lines that are in sight or near, asked for when they are, and how long the log is. */
import { message, type Page } from '@insight-host/kit';
import { signal } from '@preact/signals';

export interface Row {
  readonly number: number;
  readonly text: string;
  /** How many states of the line were overwritten, as by a progress bar. */
  readonly states: number;
  /** Bytes of the whole line if the text is not whole; 0 otherwise. */
  readonly size: number;
  readonly step: number | null;
}

type Sent = readonly [number: number, text: string, states: number, size: number, step: number | null];

interface Answer {
  readonly lines: readonly Sent[];
  readonly found: number | null;
  readonly total: number;
  readonly indexed: number;
  readonly size: number;
  readonly compressed?: boolean;
}

export interface State {
  readonly total: number;
  readonly indexed: number;
  readonly size: number;
  readonly isCompressed: boolean;
}

const PAGE = 200; // lines of one request
const MOST = 8000; // lines in memory
const PAUSE = 150; // ms between two requests while lines are counted

export class Log {
  readonly state = signal<State | null>(null);
  readonly failure = signal<string | null>(null);
  /** Grows whenever other lines are there. */
  readonly version = signal(0);
  private readonly rows = new Map<number, Row>();
  private readonly asked = new Set<number>(); // pages
  private readonly stop = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isAsking = false;
  private isStale = false;

  constructor(
    private readonly page: Page,
    readonly run: string,
    readonly tag: string,
  ) {}

  end(): void {
    clearTimeout(this.timer);
    this.stop.abort();
  }

  row(number: number): Row | undefined {
    return this.rows.get(number);
  }

  /** The log may have grown: asks for its last lines and its length. */
  async refresh(): Promise<void> {
    this.isStale = this.isAsking;
    if (this.isAsking) return;
    this.isAsking = true;
    await this.ask({ count: PAGE });
    this.isAsking = false;
    const { value: state } = this.state;
    clearTimeout(this.timer);
    if (this.stop.signal.aborted || this.failure.value !== null) return;
    if (this.isStale || (state && !state.isCompressed && state.indexed < state.size))
      this.timer = setTimeout(() => void this.refresh(), PAUSE);
  }

  /** Lines from `first` to before `end` are in sight. */
  want(first: number, end: number): void {
    for (let page = Math.floor(Math.max(0, first) / PAGE); page * PAGE < end; page++) {
      let isWhole = true;
      for (let line = page * PAGE; line < Math.min(end, (page + 1) * PAGE) && isWhole; line++)
        isWhole = line < first || this.rows.has(line);
      if (isWhole || this.asked.has(page)) continue;
      this.asked.add(page);
      void this.ask({ first: page * PAGE, count: PAGE }).finally(() => this.asked.delete(page));
    }
  }

  /** The line that the byte at `offset` is in, from 0; null behind what is counted so far. */
  async lineAt(offset: number): Promise<number | null> {
    return (await this.ask({ at: offset, count: PAGE }))?.found ?? null;
  }

  /** The texts of lines, also of those that are not in sight; at most a thousand. */
  async texts(first: number, count: number): Promise<readonly string[]> {
    const answer = await this.ask({ first, count: Math.min(1000, count) });
    return answer?.lines.map(([, text]) => text) ?? [];
  }

  private async ask(query: Readonly<Record<string, number>>): Promise<Answer | null> {
    const { signal: ended } = this.stop;
    try {
      const answer = await this.page.ctx.data.json<Answer>(
        'lines',
        { run: this.run, tag: this.tag, ...query },
        { signal: ended },
      );
      if (ended.aborted) return null;
      this.take(answer);
      this.failure.value = null;
      return answer;
    } catch (error) {
      if (!ended.aborted) this.failure.value = message(error);
      return null;
    }
  }

  private take({ lines = [], total = 0, indexed = 0, size, compressed = false }: Answer): void {
    const before = this.state.value;
    if (before && (total < before.total || size < before.size)) this.rows.clear(); // it was truncated or replaced
    else if (before && total > before.total) this.rows.delete(before.total - 1); // it was not at its end
    if (this.rows.size > MOST) this.rows.clear();
    for (const [number, text, states, bytes, step] of lines)
      this.rows.set(number, { number, text, states, size: bytes, step });
    this.state.value = { total, indexed, size, isCompressed: compressed };
    this.version.value++;
  }
}
