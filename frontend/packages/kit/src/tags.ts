import { computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Query, Run } from '@insight-host/api';
import type { Page } from './page';
import { message } from './texts';

/** A series in the answer of `/tags`; plugins may add fields. */
export interface TagInfo {
  readonly display_name: string;
  readonly description: string;
  readonly points: number;
  readonly first_step: number;
  readonly last_step: number;
  /** How often writing began at an earlier step, where the plugin says it. */
  readonly attempts?: number;
}
/** By run, then by tag. */
export type TagTable<Info extends TagInfo = TagInfo> = Readonly<Record<string, Readonly<Record<string, Info>>>>;
export type ChangedSeries = Readonly<Record<string, readonly string[]>> | null;

/** The tags of all runs, asked for again when one is new, and which of them the selected runs have. */
export class Tags<Info extends TagInfo = TagInfo> {
  /** null until the first answer. */
  readonly table = signal<TagTable<Info> | null>(null);
  readonly failure = signal<string | null>(null);
  private asked = 0; // how often
  private answered = 0; // which of these questions the table answers

  /** `query`: what to ask `/tags`. */
  constructor(
    private readonly page: Page,
    private readonly query?: Live<Query>,
  ) {
    page.onChange(page.ctx.changes, ({ series }) => this.isNew(series) && void this.load());
    if (query) page.onChange(query, () => void this.load());
    void this.load();
  }

  async load(): Promise<void> {
    const { data, signal: ended } = this.page.ctx;
    const mine = ++this.asked;
    try {
      const table = await data.json<TagTable<Info>>('tags', this.query?.peek(), { signal: ended });
      if (mine < this.answered) return; // a newer one came first
      this.answered = mine;
      this.table.value = table;
      this.failure.value = null;
    } catch (error) {
      if (!ended.aborted && mine === this.asked) this.failure.value = message(error);
    }
  }

  private isNew(series: ChangedSeries): boolean {
    const table = this.table.value;
    if (!series || !table) return true;
    return Object.entries(series).some(([run, tags]) => tags.some((tag) => !Object.hasOwn(table[run] ?? {}, tag)));
  }

  infoOf(run: string, tag: string): Info | undefined {
    return this.table.value?.[run]?.[tag];
  }

  /** Tags of the selected runs, with the selected runs that have them. */
  readonly runsByTag = computed<ReadonlyMap<string, readonly Run[]>>(() => {
    const found = new Map<string, Run[]>();
    for (const run of this.page.runs.value) {
      for (const tag of Object.keys(this.table.value?.[run.name] ?? {})) {
        const runs = found.get(tag);
        if (runs) runs.push(run);
        else found.set(tag, [run]);
      }
    }
    return found;
  });

  /** The selected runs that have a tag. */
  runsOf(tag: string): readonly Run[] {
    return this.runsByTag.value.get(tag) ?? [];
  }

  /** Their names. */
  runNames(tag: string): readonly string[] {
    return this.runsOf(tag).map((run) => run.name);
  }

  /** Whether a selected run has restarts that overwrote steps. */
  readonly hasAttempts = computed(() =>
    this.page.runs.value.some((run) =>
      Object.values(this.table.value?.[run.name] ?? {}).some(({ attempts = 1 }) => attempts > 1),
    ),
  );
}
