import { computed, effect, signal, type ReadonlySignal as Live } from '@preact/signals';
import { message, portions, type ChangedSeries, type Page } from '@insight-host/kit';
import type { Listed } from './landscape';

type Intervals = { readonly runs: readonly { readonly run: string; readonly landscapes: readonly Listed[] }[] };

/** Which landscapes runs have: asked for when a run is wanted, and again after a change. */
export class Lists {
  /** Of the runs that were asked for so far. */
  readonly byRun = signal<ReadonlyMap<string, readonly Listed[]>>(new Map());
  readonly failure = signal<string | null>(null);
  private readonly wanted = signal<Live<readonly string[]>>(signal([]));
  private readonly asked = new Map<string, number>(); // by run, which request is the latest
  private requests = 0;

  constructor(private readonly page: Page) {
    page.onChange(page.ctx.changes, ({ series }) => this.changed(series));
    page.until(effect(() => this.load(this.wanted.value.value.filter((run) => !this.asked.has(run)))));
  }

  /** Keeps the lists of these runs. */
  follow(runs: Live<readonly string[]>): void {
    this.wanted.value = runs;
  }

  /** Whether a list that is wanted is not there yet. */
  readonly isComing = computed(() => this.wanted.value.value.some((run) => !this.byRun.value.has(run)));

  retry(): void {
    this.failure.value = null;
    this.load(this.wanted.value.value);
  }

  private changed(series: ChangedSeries): void {
    for (const run of series ? Object.keys(series) : [...this.asked.keys()]) this.asked.delete(run);
    this.load(this.wanted.value.value.filter((run) => !this.asked.has(run)));
  }

  private load(runs: readonly string[]): void {
    for (const portion of portions(runs)) void this.ask(portion);
  }

  private async ask(wanted: readonly string[]): Promise<void> {
    const { data, signal: ended } = this.page.ctx;
    const mine = ++this.requests;
    const own = (run: string): boolean => this.asked.get(run) === mine;
    for (const run of wanted) this.asked.set(run, mine);
    try {
      const { runs } = await data.json<Intervals>('intervals', { run: wanted }, { signal: ended });
      const found = new Map(runs.map(({ run, landscapes }) => [run, landscapes]));
      const byRun = new Map(this.byRun.value);
      for (const run of wanted.filter(own)) byRun.set(run, found.get(run) ?? []);
      this.byRun.value = byRun;
      this.failure.value = null;
    } catch (error) {
      if (ended.aborted) return;
      for (const run of wanted.filter(own)) this.asked.delete(run);
      this.failure.value = message(error);
    }
  }
}
