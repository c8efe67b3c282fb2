import { computed, effect, signal, type ReadonlySignal as Live } from '@preact/signals';
import { message, portions, type Page } from '@insight-host/kit/lab';

/** What the host lists of each run: asked for when a run is wanted, and again after a change. */
export class RunLists<T> {
  /** Of the runs that were asked for so far. */
  readonly byRun = signal<ReadonlyMap<string, T>>(new Map());
  readonly failure = signal<string | null>(null);
  private readonly wanted = signal<Live<readonly string[]>>(signal([]));
  private readonly asked = new Map<string, number>(); // by run, which request is the latest
  private requests = 0;

  /** `ask` asks the host about some runs. */
  constructor(
    private readonly page: Page,
    private readonly ask: (runs: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, T>>,
  ) {
    page.onChange(page.ctx.changes, ({ series }) => {
      for (const run of series ? Object.keys(series) : [...this.asked.keys()]) this.asked.delete(run);
      this.loadMissing();
    });
    page.until(effect(() => this.loadMissing()));
  }

  /** Keeps the lists of these runs from now on. */
  follow(runs: Live<readonly string[]>): void {
    this.wanted.value = runs;
  }

  /** Whether a list that is wanted is not there yet. */
  readonly isComing = computed(() => this.wanted.value.value.some((run) => !this.byRun.value.has(run)));

  retry(): void {
    this.failure.value = null;
    this.loadMissing();
  }

  private loadMissing(): void {
    const missing = this.wanted.value.value.filter((run) => !this.asked.has(run));
    for (const portion of portions(missing)) void this.load(portion);
  }

  private async load(runs: readonly string[]): Promise<void> {
    const { signal: ended } = this.page.ctx;
    const mine = ++this.requests;
    const own = (run: string): boolean => this.asked.get(run) === mine;
    for (const run of runs) this.asked.set(run, mine);
    try {
      const found = await this.ask(runs, ended);
      this.byRun.value = new Map([...this.byRun.value, ...[...found].filter(([run]) => own(run))]);
      this.failure.value = null;
    } catch (error) {
      if (ended.aborted) return;
      for (const run of runs.filter(own)) this.asked.delete(run);
      this.failure.value = message(error);
    }
  }
}
