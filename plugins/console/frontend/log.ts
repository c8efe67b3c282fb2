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
  /** Names the text; another one after the file was truncated or replaced. */
  readonly log?: string;
  readonly lines: readonly Sent[];
  readonly found: number | null;
  readonly total: number;
  readonly indexed: number;
  readonly size: number;
  readonly compressed?: boolean;
}

export interface State {
  readonly id: string;
  readonly total: number;
  readonly indexed: number;
  readonly size: number;
  readonly isCompressed: boolean;
}

const PAGE = 200; // lines of one request
const MOST = 8000; // lines in memory
const PAUSE = 60; // ms between two requests while lines are counted

export class Log {
  readonly state = signal<State | null>(null);
  readonly failure = signal<string | null>(null);
  /** Grows whenever other lines are there. */
  readonly version = signal(0);
  /** Grows whenever lines were forgotten: those in sight are wanted again. */
  readonly forgotten = signal(0);
  private readonly rows = new Map<number, Row>();
  private readonly asked = new Set<number>(); // pages
  private questions = 0;
  private newest = 0; // the last question that has an answer
  private readonly stop = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isAsking = false;
  private isStale = false;

  constructor(
    private readonly page: Page,
    readonly run: string,
    readonly tag: string,
  ) {}

  get hasEnded(): boolean {
    return this.stop.signal.aborted;
  }

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
    const question = ++this.questions;
    try {
      const answer = await this.page.ctx.data.json<Answer>(
        'lines',
        { run: this.run, tag: this.tag, ...query },
        { signal: ended },
      );
      if (ended.aborted) return null;
      this.take(answer, question);
      this.failure.value = null;
      return answer;
    } catch (error) {
      if (!ended.aborted) this.failure.value = message(error);
      return null;
    }
  }

  private take({ log: id = '', lines = [], total = 0, indexed = 0, size, compressed }: Answer, question: number): void {
    const before = this.state.value;
    const isLate = question < this.newest;
    if (isLate && before?.id !== id) return; // of a text that was replaced meanwhile
    if (before && before.id !== id) this.forget();
    else if (before && !isLate && total > before.total) this.rows.delete(before.total - 1); // it was not at its end
    if (this.rows.size > MOST) this.forget();
    for (const [number, text, states, bytes, step] of lines)
      if (!isLate || number < total - 1) this.rows.set(number, { number, text, states, size: bytes, step });
    this.version.value++;
    if (isLate) return void this.forgotten.value++; // its last line may not be whole
    this.newest = question;
    this.state.value = { id, total, indexed, size, isCompressed: compressed ?? false };
  }

  private forget(): void {
    this.rows.clear();
    this.forgotten.value++;
  }
}
