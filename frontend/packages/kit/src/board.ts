import { computed, signal } from '@preact/signals';
import type { PluginContext, Query, Run } from '@insight-host/api';
import { cardCodec, type CardKey } from './cards';
import * as codecs from './codecs';
import { seriesCards, tagCards, tagFilter, type CardGroup } from './groups';
import { Page, type Setting } from './page';
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
export type TagTable<Info extends TagInfo> = Readonly<Record<string, Readonly<Record<string, Info>>>>;
export type ChangedSeries = Readonly<Record<string, readonly string[]>> | null;

/** What any tab of cards shows, and what the user has set. A plugin extends it by what is its own. */
export class Board<Info extends TagInfo = TagInfo> extends Page {
  /** null until the first answer. */
  readonly table = signal<TagTable<Info> | null>(null);
  readonly failure = signal<string | null>(null);
  private asked = 0; // how often for the tags
  private answered = 0; // which of these questions the table answers

  readonly filter: Setting<string>;
  readonly closed: Setting<readonly string[]>;
  readonly pins: Setting<readonly string[]>;
  readonly full: Setting<CardKey | null>;
  /** The card that keys act on: under the pointer or with the focus. */
  readonly current = signal<CardKey | null>(null);

  /** `cards`: one for each tag, or one for each tag and run. */
  constructor(
    ctx: PluginContext,
    private readonly cards: 'tag' | 'series',
  ) {
    super(ctx);
    this.filter = this.setting('tags', codecs.text);
    this.closed = this.setting('closed', codecs.names);
    this.pins = this.setting('pins', codecs.names);
    this.full = this.setting('full', cardCodec);
    this.onChange(ctx.changes, ({ series }) => {
      if (this.isNew(series)) void this.loadTags();
      this.changed(series);
    });
    void this.loadTags();
  }

  /** Data of these tags has come, by run; null: anything may have changed. */
  protected changed(_series: ChangedSeries): void {}

  async loadTags(): Promise<void> {
    const mine = ++this.asked;
    try {
      await Promise.resolve(); // the first time, what extends this board is not made yet
      const table = await this.ctx.data.json<TagTable<Info>>('tags', this.tagQuery(), { signal: this.ctx.signal });
      if (mine < this.answered) return; // a newer one came first
      this.answered = mine;
      this.table.value = table;
      this.failure.value = null;
    } catch (error) {
      if (!this.ctx.signal.aborted && mine === this.asked) this.failure.value = message(error);
    }
  }

  /** What to ask `/tags`. */
  protected tagQuery(): Query {
    return {};
  }

  infoOf(run: string, tag: string): Info | undefined {
    return this.table.value?.[run]?.[tag];
  }

  /** Tags of the selected runs, with the selected runs that have them. */
  readonly runsByTag = computed<ReadonlyMap<string, readonly Run[]>>(() => {
    const found = new Map<string, Run[]>();
    for (const run of this.runs.value) {
      for (const tag of Object.keys(this.table.value?.[run.name] ?? {})) {
        const runs = found.get(tag);
        if (runs) runs.push(run);
        else found.set(tag, [run]);
      }
    }
    return found;
  });

  /** Whether a shown run has restarts that overwrote steps. */
  readonly hasAttempts = computed(() =>
    this.runs.value.some((run) =>
      Object.values(this.table.value?.[run.name] ?? {}).some(({ attempts = 1 }) => attempts > 1),
    ),
  );

  readonly match = computed(() => tagFilter(this.filter.value));
  readonly shownTags = computed(() => [...this.runsByTag.value.keys()].filter(this.match.value.matches));
  readonly groups = computed<readonly CardGroup[]>(() => {
    const byTag = this.runsByTag.value;
    const pins = this.pins.value.filter((tag) => byTag.has(tag));
    if (this.hasTagCards()) return tagCards(this.shownTags.value, pins);
    return seriesCards(this.shownTags.value, pins, (tag) => this.runNames(tag));
  });

  /** Whether there is one card for each tag, not one for each tag and run. */
  protected hasTagCards(): boolean {
    return this.cards === 'tag';
  }

  /** Names of the selected runs that have a tag. */
  runNames(tag: string): readonly string[] {
    return this.runsByTag.value.get(tag)?.map((run) => run.name) ?? [];
  }

  /** Whether a card is there to be acted on. */
  has({ tag, run }: CardKey): boolean {
    const runs = this.runsByTag.value.get(tag);
    return runs !== undefined && (run === null || runs.some((other) => other.name === run));
  }

  toggle(setting: Setting<readonly string[]>, name: string): void {
    const { value } = setting;
    setting.set(value.includes(name) ? value.filter((n) => n !== name) : [...value, name]);
  }

  private isNew(series: ChangedSeries): boolean {
    const table = this.table.value;
    if (!series || !table) return true;
    return Object.entries(series).some(([run, tags]) => tags.some((tag) => !Object.hasOwn(table[run] ?? {}, tag)));
  }
}

/** A map with one entry set, or removed when `value` is null. */
export function changed<T>(map: ReadonlyMap<string, T>, key: string, value: T | null): ReadonlyMap<string, T> {
  if (value === null && !map.has(key)) return map;
  const next = new Map(map);
  if (value === null) next.delete(key);
  else next.set(key, value);
  return next;
}
