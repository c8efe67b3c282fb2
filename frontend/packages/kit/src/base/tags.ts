import { computed, effect, signal, type ReadonlySignal as Live, untracked } from '@preact/signals';
import type { Run, TagCatalogue, TagInfo, TagTable } from '@insight-host/api';
import type { Page } from './page';

export type ChangedSeries = Readonly<Record<string, readonly string[]>> | null;

/** Which series a tab shows: all of its plugin, unless this says otherwise. */
export interface SeriesChoice {
  readonly from?: Live<TagCatalogue>;
  readonly shows?: (info: TagInfo) => boolean;
  /** Whether a tag has no card of its own among these, because that of another one shows its values, too. */
  readonly isAside?: (tag: string, shown: { has(tag: string): boolean }) => boolean;
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

/**
 * The tags of these runs, each with those of the runs that have it, in their order. Runs that share their list of tags
 * cost one step each, not one for each tag.
 */
export function runsByTag(table: TagTable | null, runs: readonly Run[]): ReadonlyMap<string, readonly Run[]> {
  const groups = new Map<readonly string[], { readonly number: number; readonly runs: Run[] }>();
  for (const run of table ? runs : []) {
    const tags = (table as TagTable).tagsOf(run.name);
    const group = groups.get(tags);
    if (group) group.runs.push(run);
    else groups.set(tags, { number: groups.size, runs: [run] });
  }
  const owners = new Map<string, number[]>(); // numbers of the lists that have a tag
  for (const [tags, { number }] of groups) {
    for (const tag of tags) {
      const numbers = owners.get(tag);
      if (numbers) numbers.push(number);
      else owners.set(tag, [number]);
    }
  }
  const lists = [...groups.values()];
  const joined = new Map<string, readonly Run[]>();
  const place = new Map(runs.map((run, at) => [run, at]));
  return new Map(
    [...owners].map(([tag, numbers]) => {
      if (numbers.length === 1) return [tag, lists[numbers[0] as number]?.runs ?? []];
      const key = numbers.join();
      let found = joined.get(key);
      if (!found) {
        const all = numbers.flatMap((number) => lists[number]?.runs ?? []);
        joined.set(key, (found = all.sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0))));
      }
      return [tag, found];
    }),
  );
}

/** The series of a table of which `shows` is true. Lists of tags that lose none are still shared. */
export function tagsWhere(table: TagTable, shows: (info: TagInfo) => boolean): TagTable {
  const infoOf = (run: string, tag: string): TagInfo | undefined => {
    const info = table.infoOf(run, tag);
    return info && shows(info) ? info : undefined;
  };
  const tagsOf = (run: string): readonly string[] => {
    const tags = table.tagsOf(run);
    const shown = tags.filter((tag) => infoOf(run, tag));
    return shown.length === tags.length ? tags : shown;
  };
  return {
    get runs() {
      return table.runs.filter((run) => tagsOf(run).length > 0);
    },
    tagsOf,
    infoOf,
    hasRestarts: (run) => tagsOf(run).some((tag) => (table.infoOf(run, tag)?.attempts ?? 1) > 1),
  };
}
