/** The page's catalogue: which series each plugin has, kept fresh by what the host says has changed. */
import { message } from '@insight-host/kit';
import { computed, signal } from '@preact/signals';
import type { Query, TagInfo, TagTable } from '@insight-host/api';
import { getJson } from '../data/http';
import type { ServerChanges } from './connection';

type Values = number | readonly number[]; // one for each series, or one for all
interface Texts<T> {
  readonly values: readonly T[];
  readonly of: Values;
}

/** The answer of `/data/catalog` (docs/http_api.md). */
export interface CatalogAnswer {
  readonly generation: number;
  readonly boot: string;
  readonly since: number | null;
  readonly gone: Readonly<Record<string, readonly string[]>>;
  readonly tags: readonly string[];
  readonly sets: readonly (readonly number[])[];
  readonly runs: readonly string[];
  readonly set_of: readonly number[];
  readonly columns: {
    readonly attempts: Values;
    readonly claims: Texts<readonly string[]>;
    readonly plugin?: Texts<string>;
  };
}

/** The series of one run. */
interface Row {
  readonly tags: readonly string[]; // one list for all runs that have the same
  at(place: number): TagInfo;
  readonly restarts: boolean;
}
type Rows = ReadonlyMap<string, Row>;

const NONE: readonly string[] = [];
const valueAt = (column: Values, place: number): number =>
  typeof column === 'number' ? column : (column[place] as number);

function rowsOf({ tags, sets, runs, set_of, columns }: CatalogAnswer, plugin: string): Map<string, Row> {
  const { attempts, claims, plugin: owners = { values: [plugin], of: 0 } } = columns;
  const lists = sets.map((set) => set.map((number) => tags[number] as string));
  let end = 0;
  return new Map(
    runs.map((run, i): [string, Row] => {
      const list = lists[set_of[i] as number] as string[];
      const first = end;
      end += list.length;
      return [
        run,
        {
          tags: list,
          at: (place) => ({
            attempts: valueAt(attempts, first + place),
            claims: claims.values[valueAt(claims.of, first + place)] ?? NONE,
            plugin: owners.values[valueAt(owners.of, first + place)] as string,
          }),
          restarts: typeof attempts === 'number' ? attempts > 1 : attempts.slice(first, end).some((count) => count > 1),
        },
      ];
    }),
  );
}

class Table implements TagTable {
  private readonly places = new Map<readonly string[], ReadonlyMap<string, number>>();

  constructor(private readonly rows: Rows) {}

  get runs(): readonly string[] {
    return [...this.rows.keys()];
  }

  tagsOf(run: string): readonly string[] {
    return this.rows.get(run)?.tags ?? NONE;
  }

  infoOf(run: string, tag: string): TagInfo | undefined {
    const row = this.rows.get(run);
    if (!row) return undefined;
    let places = this.places.get(row.tags);
    if (!places) this.places.set(row.tags, (places = new Map(row.tags.map((name, place) => [name, place]))));
    const place = places.get(tag);
    return place === undefined ? undefined : row.at(place);
  }

  hasRestarts(run: string): boolean {
    return this.rows.get(run)?.restarts === true;
  }

  /** This table after a delta. */
  with({ gone, ...answer }: CatalogAnswer, plugin: string): Table {
    const rows = new Map(this.rows);
    const lists = new Map<string, readonly string[]>();
    const changed = rowsOf({ gone, ...answer }, plugin);
    const left = new Map(Object.entries(gone)); // a run may be called "constructor"
    for (const run of new Set([...changed.keys(), ...left.keys()])) {
      const infos = new Map<string, TagInfo>();
      for (const row of [rows.get(run), changed.get(run)]) row?.tags.forEach((tag, at) => infos.set(tag, row.at(at)));
      for (const tag of left.get(run) ?? NONE) infos.delete(tag);
      const tags = [...infos.keys()];
      const key = JSON.stringify(tags);
      const found = [...infos.values()];
      if (!lists.has(key)) lists.set(key, tags);
      rows.set(run, {
        tags: lists.get(key) ?? tags,
        at: (place) => found[place] as TagInfo,
        restarts: found.some(({ attempts }) => attempts > 1),
      });
      if (found.length === 0) rows.delete(run);
    }
    return new Table(rows);
  }
}

/** The series of one plugin; with `unclaimed`, also of values that no plugin claims. */
export class TagSource {
  readonly table = signal<Table | null>(null);
  readonly failure = signal<string | null>(null);
  private readonly isStale = signal(true);
  private readonly isAsking = signal(false);
  private cursor: string | null = null;
  /** Whether `ask` has something to do: somebody who looks at the tags calls it then. */
  readonly isDue = computed(() => this.isStale.value && !this.isAsking.value);

  constructor(
    private readonly plugin: string,
    private readonly unclaimed: boolean,
  ) {}

  refresh(): void {
    this.isStale.value = true;
  }

  /** Asks for what changed since the last answer. */
  async ask(): Promise<void> {
    if (this.isAsking.peek()) return;
    this.isAsking.value = true;
    this.isStale.value = false;
    const more: Query = this.unclaimed ? { unclaimed: 1, columns: 'attempts,claims,plugin' } : {};
    try {
      const answer = await getJson<CatalogAnswer>('data/catalog', {
        plugin: this.plugin,
        ...more,
        since: this.cursor,
      });
      this.cursor = `${answer.boot}-${answer.generation}`;
      const { value: before } = this.table;
      const isDelta = before !== null && answer.since !== null;
      if (!isDelta) this.table.value = new Table(rowsOf(answer, this.plugin));
      else if (answer.runs.length > 0 || Object.keys(answer.gone).length > 0)
        this.table.value = before.with(answer, this.plugin);
      this.failure.value = null;
    } catch (cause) {
      this.failure.value = message(cause);
    }
    this.isAsking.value = false;
  }

  /** Data have changed: growth of a series that is known says nothing new about its tag. */
  accept({ series, gone }: ServerChanges): void {
    const { value: table } = this.table;
    const mine = series?.[this.plugin] ?? {};
    // what no plugin claims is not among the changes
    const isNews =
      !table ||
      !series ||
      this.unclaimed ||
      Object.entries(mine).some(([run, tags]) => gone || tags.some((tag) => !table.infoOf(run, tag)));
    if (isNews) this.refresh();
  }
}

/** The series of all plugins that were asked for, one source for each. */
export class TagSources {
  /** The tags of a plugin, if its table was asked for: once each, whatever runs have them. */
  known(plugin: string): readonly string[] | null {
    const { value: table } = this.of(plugin).table;
    if (!table) return null;
    const lists = new Set(table.runs.map((run) => table.tagsOf(run)));
    return lists.size === 1 ? ([...lists][0] ?? NONE) : [...new Set([...lists].flat())];
  }

  private readonly sources = new Map<string, TagSource>();

  of(plugin: string, unclaimed = false): TagSource {
    const key = `${plugin} ${unclaimed}`;
    let source = this.sources.get(key);
    if (!source) this.sources.set(key, (source = new TagSource(plugin, unclaimed)));
    return source;
  }

  accept(changes: ServerChanges): void {
    for (const source of this.sources.values()) source.accept(changes);
  }
}
