import type { TagCatalogue, TagTable } from '@insight-host/api';
import { codecs, type ChangedSeries, type Page, type Setting } from '@insight-host/kit';
import { changed } from '@insight-host/kit/lab';
import { computed, effect, signal, type ReadonlySignal as Live } from '@preact/signals';
import { retried } from './saved_retry';

const SIGN = '='; // before an expression in the place of a tag

/** The tag under which the host knows a derived series. */
export function tagOf(expression: string): string {
  return SIGN + expression;
}

/** The expression of a derived series; null for a tag that was recorded. */
export function expressionOf(tag: string): string | null {
  return tag.startsWith(SIGN) ? tag.slice(SIGN.length) : null;
}

/** The tags in an expression as the host wrote it: all of them are quoted. */
export function tagsIn(expression: string): readonly string[] {
  return [...expression.matchAll(/"(?:[^"\\]|\\.)*"/g)].flatMap(([quoted]) => {
    try {
      return [JSON.parse(quoted) as string];
    } catch {
      return [];
    }
  });
}

/** The tag of an expression that is only a tag; null for any other. */
export function plainTag(expression: string): string | null {
  const [tag] = tagsIn(expression);
  return tag !== undefined && JSON.stringify(tag) === expression ? tag : null;
}

/** A tag as it is typed in an expression: quoted where it is not a plain name. */
export function quoted(tag: string): string {
  return /^[\p{L}_][\p{L}\p{N}_/.]*$/u.test(tag) ? tag : JSON.stringify(tag);
}

/** Series that are computed from others, by expressions that the URL or the host keeps with their names. */
export class Derived {
  /** Names by expression: of the URL, and of what is kept. */
  readonly names: Live<ReadonlyMap<string, string>>;
  readonly kept: SavedExpressions;
  private readonly own: Setting<ReadonlyMap<string, string>>;
  /** All series of the tab: recorded and derived. */
  readonly catalogue: Live<TagCatalogue>;
  /** The tags of each expression since the page was opened: one that comes back may still be cached. */
  private readonly inputs = new Map<string, readonly string[]>();

  constructor(page: Page) {
    const { tags } = page.ctx;
    this.own = page.setting('derived', codecs.byTag<string>(codecs.decoded, codecs.encoded));
    this.kept = new SavedExpressions(page);
    this.names = computed(() => new Map([...this.kept.names.value, ...this.own.value]));
    const recorded = page.follow(tags);
    const table = computed(() => recorded.value && withDerived(recorded.value, [...this.names.value.keys()]));
    const catalogue = Object.assign(table, { failure: tags.failure, refresh: () => tags.refresh() });
    this.catalogue = computed(() => catalogue);
    page.until(
      effect(() => {
        for (const expression of this.names.value.keys()) this.inputs.set(expression, tagsIn(expression));
        const titles = [...this.names.value].map(([expression, name]): [string, string] => [tagOf(expression), name]);
        page.titles.value = new Map([...page.titles.peek(), [SIGN, page.t('derived.group')], ...titles]);
      }),
    );
  }

  /** Names a series in the URL; null removes it. */
  set(expression: string, name: string | null): void {
    this.own.set(changed(this.own.value, expression, name));
  }

  /** Keeps a series on the host, or in the URL only. Rejects with the reason why it cannot. */
  async keep(expression: string, isKept: boolean): Promise<void> {
    const name = this.names.value.get(expression) ?? expression;
    await this.kept.set(expression, isKept ? name : null);
    if (!isKept) this.set(expression, name);
  }

  /** Changes the name of a series, or removes it (null), wherever it is. Rejects if the host does not. */
  async change(expression: string, name: string | null): Promise<void> {
    const isKept = this.kept.names.value.has(expression);
    if (isKept) await this.kept.set(expression, name);
    if (!isKept || name === null || this.own.value.has(expression)) this.set(expression, name);
  }

  /** All tags of a run. */
  tagsOf(run: string): readonly string[] {
    return this.catalogue.value.value?.tagsOf(run) ?? [];
  }

  /** What changed, with the series derived from it. */
  affected(series: ChangedSeries): ChangedSeries {
    if (!series || this.inputs.size === 0) return series;
    const inputs = [...this.inputs];
    return Object.fromEntries(
      Object.entries(series).map(([run, tags]) => [
        run,
        [
          ...tags,
          ...inputs.filter(([, names]) => names.some((name) => tags.includes(name))).map(([one]) => tagOf(one)),
        ],
      ]),
    );
  }
}

/** A table with these expressions as tags of each run that has all of their tags. */
export function withDerived(table: TagTable, expressions: readonly string[]): TagTable {
  if (expressions.length === 0) return table;
  const inputs = expressions.map((expression) => [tagOf(expression), tagsIn(expression)] as const);
  const known = new WeakMap<readonly string[], readonly string[]>(); // runs with equal tags share one list
  const tagsOf = (run: string): readonly string[] => {
    const tags = table.tagsOf(run);
    let all = known.get(tags);
    if (!all) {
      const names = new Set(tags);
      const derived = inputs.filter(([tag, needed]) => !names.has(tag) && needed.every((name) => names.has(name)));
      known.set(tags, (all = [...tags, ...derived.map(([tag]) => tag)]));
    }
    return all;
  };
  return {
    runs: table.runs,
    tagsOf,
    infoOf: (run, tag) =>
      table.infoOf(run, tag) ?? (tagsOf(run).includes(tag) ? { attempts: 1, claims: [], plugin: 'scalar' } : undefined),
    hasRestarts: (run) => table.hasRestarts(run),
  };
}

const ENTRY = 'computed series'; // among what is saved of the tab: names by expression

type Names = ReadonlyMap<string, string>;

/** Computed series that the host keeps: they are there for everybody who opens these logs. */
class SavedExpressions {
  /** Names by expression. */
  readonly names: Live<Names>;
  /** False while the host saves nothing (`--read-only`). */
  readonly writable: Live<boolean>;
  private readonly known = signal<Names>(new Map());
  private version: string | null = null;

  constructor(private readonly page: Page) {
    this.names = this.known;
    this.writable = page.follow(page.ctx.saved.writable);
    page.until(
      page.ctx.saved.entries.subscribe((entries) => {
        const version = entries?.find(({ name }) => name === ENTRY)?.version ?? null;
        if (!entries || version === this.version) return;
        this.version = version;
        this.read().catch(() => (this.version = null)); // the next change asks again
      }),
    );
  }

  /** Keeps a series under a name; null: no longer. Rejects with the reason why the host does not. */
  async set(expression: string, name: string | null): Promise<void> {
    const { saved } = this.page.ctx;
    await retried(async () => {
      const before = await this.read();
      const names = changed(this.known.value, expression, name);
      if (names.size > 0) this.version = (await saved.set(ENTRY, Object.fromEntries(names), before)).version;
      else if (before !== null) await saved.remove(ENTRY, before);
      this.known.value = names;
    });
  }

  /** Reads what the host has; its version, or null for nothing. */
  private async read(): Promise<string | null> {
    const entry = await this.page.ctx.saved.get<unknown>(ENTRY);
    const pairs = Object.entries(entry?.value ?? {}).filter(([, name]) => typeof name === 'string');
    this.known.value = new Map(pairs as [string, string][]);
    return entry?.version ?? null;
  }
}
