import { computed, effect, signal, type ReadonlySignal as Live } from '@preact/signals';
import { message, portions, type Page } from '@insight-host/kit';
import type { RunEmbeddings } from './answers';

/** Which embeddings the selected runs have: asked for when a run is selected, and again after a change. */
export class Lists {
  readonly byRun = signal<ReadonlyMap<string, RunEmbeddings>>(new Map());
  readonly failure = signal<string | null>(null);
  private readonly asked = new Map<string, number>(); // by run, which request is the latest
  private requests = 0;

  /** `wanted`: the runs whose lists are kept. */
  constructor(
    private readonly page: Page,
    private readonly wanted: Live<readonly string[]>,
  ) {
    page.onChange(page.ctx.changes, ({ series }) => {
      for (const run of series ? Object.keys(series) : [...this.asked.keys()]) this.asked.delete(run);
      this.loadMissing();
    });
    page.until(effect(() => this.loadMissing()));
  }

  /** Whether a list that is wanted is not there yet. */
  readonly isComing = computed(() => this.wanted.value.some((run) => !this.byRun.value.has(run)));

  retry(): void {
    this.failure.value = null;
    this.loadMissing();
  }

  private loadMissing(): void {
    const missing = this.wanted.value.filter((run) => !this.asked.has(run));
    for (const portion of portions(missing)) void this.ask(portion);
  }

  private async ask(wanted: readonly string[]): Promise<void> {
    const { data, signal: ended } = this.page.ctx;
    const mine = ++this.requests;
    const own = (run: string): boolean => this.asked.get(run) === mine;
    for (const run of wanted) this.asked.set(run, mine);
    try {
      const { runs } = await data.json<{ readonly runs: readonly RunEmbeddings[] }>(
        'embeddings',
        { run: wanted },
        { signal: ended },
      );
      this.byRun.value = new Map([
        ...this.byRun.value,
        ...runs.filter(({ run }) => own(run)).map((found): [string, RunEmbeddings] => [found.run, found]),
      ]);
      this.failure.value = null;
    } catch (error) {
      if (ended.aborted) return;
      for (const run of wanted.filter(own)) this.asked.delete(run);
      this.failure.value = message(error);
    }
  }
}
