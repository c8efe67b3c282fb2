import { computed, effect, signal, type ReadonlySignal as Live, untracked } from '@preact/signals';
import type { Run, TagCatalogue, TagInfo, TagTable } from '@insight-host/api';
import type { Page } from './page';
import { runsByTag, tagsWhere } from './runs_by_tag';

export type ChangedSeries = Readonly<Record<string, readonly string[]>> | null;

/** Which series a tab shows: all of its plugin, unless this says otherwise. */
export interface SeriesChoice {
  readonly from?: Live<TagCatalogue>;
  readonly shows?: (info: TagInfo) => boolean;
}

/** The series of all runs, and which of their tags the selected runs have. */
export class Tags {
  /** null until the first answer. */
  readonly table = signal<TagTable | null>(null);
  /** Why the host could not be asked the last time. */
  readonly failure = signal<string | null>(null);
  private readonly from: Live<TagCatalogue>;

  constructor(
    private readonly page: Page,
    { from = signal(page.ctx.tags), shows }: SeriesChoice = {},
  ) {
    this.from = from;
    page.until(
      effect(() => {
        const { value: catalogue } = from;
        const stops = untracked(() => [
          catalogue.subscribe((table) => {
            if (table) this.table.value = shows ? tagsWhere(table, shows) : table;
          }),
          catalogue.failure.subscribe((failure) => (this.failure.value = failure)),
        ]);
        return () => {
          for (const stop of stops) stop();
        };
      }),
    );
  }

  /** Asks the host again, also for more attempts of series that are known. */
  refresh(): void {
    this.from.peek().refresh();
  }

  infoOf(run: string, tag: string): TagInfo | undefined {
    return this.table.value?.infoOf(run, tag);
  }

  /** Tags of the selected runs, with the selected runs that have them. */
  readonly runsByTag = computed(() => runsByTag(this.table.value, this.page.runs.value));

  /** The selected runs that have a tag. */
  runsOf(tag: string): readonly Run[] {
    return this.runsByTag.value.get(tag) ?? [];
  }

  /** Their names. */
  runNames(tag: string): readonly string[] {
    return this.runsOf(tag).map((run) => run.name);
  }

  /** Whether a selected run has restarts that overwrote steps. */
  readonly hasAttempts = computed(() => this.page.runs.value.some(({ name }) => this.table.value?.hasRestarts(name)));
}
