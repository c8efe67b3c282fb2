import { computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Codec, Disposer, Locale, Mutable, PluginContext, ReadonlySignal, Run, Theme } from 'insight-host';
import { cardCodec, type CardKey } from './cards';
import * as codecs from './codecs';
import { seriesCards, tagCards, tagFilter, type CardGroup } from './groups';
import { message } from './texts';

/** What `/tags` says of a series; a plugin's own answer may say more. */
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

/** A key of the view that lives in the URL; reading `value` in a component follows it. */
export interface Setting<T> extends Live<T> {
  set(value: T, how?: 'push' | 'replace'): void;
}

/** What any tab of cards shows, and what the user has set. A plugin extends it by what is its own. */
export class Board<Info extends TagInfo = TagInfo> {
  private readonly stops: Disposer[] = [];
  readonly theme: Live<Theme>;
  readonly locale: Live<Locale>;
  /** Those that are selected. */
  readonly runs: Live<readonly Run[]>;
  readonly allRuns: Live<readonly Run[]>;
  /** False while another tab is in front: stop drawing and fetching. */
  readonly visible: Live<boolean>;
  /** null until the first answer. */
  readonly table = signal<TagTable<Info> | null>(null);
  readonly failure = signal<string | null>(null);

  readonly filter: Setting<string>;
  readonly closed: Setting<readonly string[]>;
  readonly pins: Setting<readonly string[]>;
  readonly full: Setting<CardKey | null>;
  /** The card that keys act on: under the pointer or with the focus. */
  readonly current = signal<CardKey | null>(null);

  /** `cards`: one for each tag, or one for each tag and run. */
  constructor(
    readonly ctx: PluginContext,
    private readonly cards: 'tag' | 'series',
  ) {
    this.theme = this.follow(ctx.theme);
    this.locale = this.follow(ctx.locale);
    this.runs = this.follow(ctx.runs.selected);
    this.allRuns = this.follow(ctx.runs.all);
    this.visible = this.follow(ctx.visible);
    this.filter = this.setting('tags', codecs.text);
    this.closed = this.setting('closed', codecs.names);
    this.pins = this.setting('pins', codecs.names);
    this.full = this.setting('full', cardCodec);
    let first = true;
    this.stops.push(
      ctx.changes.subscribe(({ series }) => {
        if (!first) {
          if (this.isNew(series)) void this.loadTags();
          this.changed(series);
        }
        first = false;
      }),
    );
    void this.loadTags();
  }

  dispose(): void {
    for (const stop of this.stops) stop();
  }

  /** Data of these tags has come, by run; null: anything may have changed. */
  protected changed(_series: ChangedSeries): void {}

  /** A text of the catalogue, in the locale that is followed. */
  t(key: string, values?: Readonly<Record<string, string | number>>): string {
    void this.locale.value;
    return this.ctx.t(key, values);
  }

  async loadTags(): Promise<void> {
    try {
      this.table.value = await this.ctx.data.json<TagTable<Info>>('tags', {}, { signal: this.ctx.signal });
      this.failure.value = null;
    } catch (error) {
      if (!this.ctx.signal.aborted) this.failure.value = message(error);
    }
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

  /** Whether a run that is shown wrote steps anew. */
  readonly hasAttempts = computed(() => this.runs.value.some((run) => Object.values(this.table.value?.[run.name] ?? {}).some(({ attempts = 1 }) => attempts > 1)));

  readonly match = computed(() => tagFilter(this.filter.value));
  readonly shownTags = computed(() => [...this.runsByTag.value.keys()].filter(this.match.value.matches));
  readonly groups = computed<readonly CardGroup[]>(() => {
    const byTag = this.runsByTag.value;
    const pins = this.pins.value.filter((tag) => byTag.has(tag));
    if (this.cards === 'tag') return tagCards(this.shownTags.value, pins);
    return seriesCards(this.shownTags.value, pins, (tag) => byTag.get(tag)?.map((run) => run.name) ?? []);
  });
  readonly runsByName = computed<ReadonlyMap<string, Run>>(() => new Map(this.allRuns.value.map((run) => [run.name, run])));

  /** Whether a card is there to be acted on. */
  has({ tag, run }: CardKey): boolean {
    const runs = this.runsByTag.value.get(tag);
    return runs !== undefined && (run === null || runs.some((other) => other.name === run));
  }

  /** What people read for a tag: one without letters has a placeholder. */
  titleOf(tag: string): string {
    return tag.trim() ? tag : this.t('tag.unnamed');
  }

  toggle(setting: Setting<readonly string[]>, name: string): void {
    const { value } = setting;
    setting.set(value.includes(name) ? value.filter((n) => n !== name) : [...value, name]);
  }

  /** One key of the view, kept in the URL under the plugin's name. */
  protected setting<T>(key: string, codec: Codec<T>): Setting<T> {
    const source: Mutable<T> = this.ctx.url.state(key, codec);
    const copy = this.follow(source) as Setting<T>;
    copy.set = (value, how) => source.set(value, how);
    return copy;
  }

  /** A setting that changes at once for the board and `wait` ms after its last change for the URL, which browsers let us write rarely. */
  protected later<T>(source: Setting<T>, wait: number): Setting<T> {
    const copy = signal(source.value);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = source.subscribe((value) => {
      clearTimeout(timer);
      copy.value = value;
    });
    this.stops.push(stop, () => clearTimeout(timer));
    const set: Setting<T>['set'] = (value, how) => {
      copy.value = value;
      clearTimeout(timer);
      timer = setTimeout(() => source.set(value, how), wait);
    };
    return Object.assign(copy, { set });
  }

  protected follow<T>(source: ReadonlySignal<T>): Live<T> {
    const copy = signal(source.value);
    this.stops.push(source.subscribe((value) => (copy.value = value)));
    return copy;
  }

  /** Ends with the board. */
  protected until(stop: Disposer): void {
    this.stops.push(stop);
  }

  private isNew(series: ChangedSeries): boolean {
    const table = this.table.value;
    if (!series || !table) return true;
    return Object.entries(series).some(([run, tags]) => tags.some((tag) => !table[run]?.[tag]));
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
