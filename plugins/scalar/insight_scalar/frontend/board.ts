import { computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Codec, Disposer, Mutable, PluginContext, ReadonlySignal, Run, Threshold } from 'insight-host';
import * as codecs from './codecs';
import type { Zoom } from './codecs';
import { readThresholds } from './conditions';
import { Feeds } from './feeds';
import { groupTags, tagFilter, type TagGroup } from './groups';
import { sameRange, stepBack, top, look, type ZoomStack } from './zoom_stack';

export interface TagInfo {
  readonly display_name: string;
  readonly description: string;
  readonly points: number;
  readonly first_step: number;
  readonly last_step: number;
  readonly attempts: number;
}
type TagTable = Readonly<Record<string, Readonly<Record<string, TagInfo>>>>;

/** A key of the view that lives in the URL; reading `value` in a component follows it. */
export interface Setting<T> extends Live<T> {
  set(value: T, how?: 'push' | 'replace'): void;
}

export const PINNED = '\u0000pinned';
const CONTINUES = 350; // ms; a wheel's notches and a pan's moves closer than this are one gesture

/** Everything the tab shows, and what the user has set. */
export class Board {
  private readonly stops: Disposer[] = [];
  readonly feeds: Feeds;
  readonly theme;
  readonly locale;
  readonly runs: Live<readonly Run[]>;
  readonly allRuns: Live<readonly Run[]>;
  readonly visible: Live<boolean>;
  readonly table = signal<TagTable | null>(null);
  readonly failure = signal<string | null>(null);

  readonly filter; readonly closed; readonly x; readonly smoothing; readonly logX; readonly logY; readonly outliers;
  readonly link; readonly tool; readonly attempts; readonly group; readonly spread; readonly layout; readonly cardLogs;
  readonly zooms; readonly linkedX; readonly pairs; readonly pins; readonly full;

  readonly thresholds = signal<ReadonlyMap<string, Threshold>>(new Map());
  /** x under the pointer of some card, for the others when their x is linked. */
  readonly cursor = signal<{ readonly tag: string; readonly x: number } | null>(null);
  readonly dialog = signal<{ readonly kind: 'threshold' | 'pair'; readonly tag: string } | null>(null);
  /** The card that keys act on. */
  readonly current = signal<string | null>(null);
  private readonly stacks = signal<ReadonlyMap<string, ZoomStack>>(new Map());
  private lastLook = { tag: '', time: 0 };

  constructor(readonly ctx: PluginContext) {
    this.theme = this.follow(ctx.theme);
    this.locale = this.follow(ctx.locale);
    this.runs = this.follow(ctx.runs.selected);
    this.allRuns = this.follow(ctx.runs.all);
    this.visible = this.follow(ctx.visible);
    this.filter = this.setting('tags', codecs.text);
    this.closed = this.setting('closed', codecs.names);
    this.x = this.setting('x', codecs.xKind);
    this.smoothing = this.setting('smooth', codecs.smoothing);
    this.logX = this.setting('logx', codecs.flag(false));
    this.logY = this.setting('logy', codecs.flag(false));
    this.outliers = this.setting('outliers', codecs.flag(false));
    this.link = this.setting('link', codecs.flag(false));
    this.tool = this.setting('tool', codecs.choice<'box' | 'pan'>(['box', 'pan'], 'box'));
    this.attempts = this.setting('attempts', codecs.choice<'last' | 'all'>(['last', 'all'], 'last'));
    this.group = this.setting('group', codecs.text);
    this.spread = this.setting('spread', codecs.choice<'minmax' | 'std'>(['minmax', 'std'], 'minmax'));
    this.layout = this.setting('show', codecs.choice<'charts' | 'table'>(['charts', 'table'], 'charts'));
    this.cardLogs = this.setting('log', codecs.logFlags);
    this.zooms = this.setting('zoom', codecs.zooms);
    this.linkedX = this.setting('range', codecs.linkedZoom);
    this.pairs = this.setting('pairs', codecs.pairs);
    this.pins = this.setting('pins', codecs.names);
    this.full = this.setting('full', codecs.name);
    this.thresholds.value = readThresholds(ctx.memory.get<unknown>('thresholds', {}));
    this.feeds = new Feeds(this);
    let first = true;
    this.stops.push(
      ctx.changes.subscribe((changes) => {
        if (!first) {
          if (this.isNew(changes.series)) void this.loadTags();
          this.feeds.changed(changes.series);
        }
        first = false;
      }),
    );
    void this.loadTags();
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.feeds.dispose();
  }

  /** A text of the catalogue, in the locale that is followed. */
  t(key: string, values?: Readonly<Record<string, string | number>>): string {
    void this.locale.value;
    return this.ctx.t(key, values);
  }

  async loadTags(): Promise<void> {
    try {
      this.table.value = await this.ctx.data.json<TagTable>('tags', {}, { signal: this.ctx.signal });
      this.failure.value = null;
    } catch (error) {
      if (!this.ctx.signal.aborted) this.failure.value = message(error);
    }
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

  /** Whether a run that is shown wrote steps anew, so that attempts differ. */
  readonly hasRestarts = computed(
    () => this.attempts.value === 'all' || this.runs.value.some((run) => Object.values(this.table.value?.[run.name] ?? {}).some((tag) => tag.attempts > 1)),
  );

  /** Says of a series that it has restarts; the list of tags may be older than they are. */
  restarted(run: string, tag: string): void {
    if (!this.hasRestarts.value && this.table.value?.[run]?.[tag]?.attempts === 1) void this.loadTags();
  }

  readonly match = computed(() => tagFilter(this.filter.value));
  readonly shownTags = computed(() => [...this.runsByTag.value.keys()].filter(this.match.value.matches));
  readonly groups = computed<readonly TagGroup[]>(() => {
    const pins = this.pins.value.filter((tag) => this.runsByTag.value.has(tag));
    const groups = groupTags(this.shownTags.value.filter((tag) => !pins.includes(tag)));
    return pins.length > 0 ? [{ name: PINNED, tags: pins }, ...groups] : groups;
  });

  /** What people read for a tag: one without letters has a placeholder. */
  titleOf(tag: string): string {
    return tag.trim() ? tag : this.t('tag.unnamed');
  }

  logOf(tag: string): codecs.LogFlags {
    return this.cardLogs.value.get(tag) ?? { x: this.logX.value, y: this.logY.value };
  }

  setLog(tag: string, flags: codecs.LogFlags): void {
    const same = flags.x === this.logX.value && flags.y === this.logY.value;
    this.cardLogs.set(changed(this.cardLogs.value, tag, same ? null : flags));
    if (flags.x && this.zoomOf(tag).x) this.reset(tag);
  }

  zoomOf(tag: string): Zoom {
    const own = this.zooms.value.get(tag) ?? { x: null, y: null };
    return this.link.value ? { x: this.linkedX.value, y: own.y } : own;
  }

  canStepBack(tag: string): boolean {
    const { x, y } = this.zoomOf(tag);
    return x !== null || y !== null;
  }

  look(tag: string, zoom: Zoom, how: 'zoom' | 'pan' | 'reset'): void {
    const now = Date.now();
    const continues = how !== 'reset' && this.lastLook.tag === tag && now - this.lastLook.time < CONTINUES;
    this.lastLook = { tag, time: now };
    const window = { x: codecs.rounded(zoom.x), y: codecs.rounded(zoom.y) };
    this.keep(tag, look(this.stackOf(tag), window, how, continues));
  }

  /** A press of the pointer begins a gesture of its own, however soon after the last. */
  beginGesture(): void {
    this.lastLook = { tag: '', time: 0 };
  }

  stepBack(tag: string): void {
    this.keep(tag, stepBack(this.stackOf(tag)));
  }

  reset(tag: string): void {
    this.keep(tag, []);
  }

  /** The stack as remembered, or, after the URL changed by itself, the one step that the URL says. */
  private stackOf(tag: string): ZoomStack {
    const zoom = this.zoomOf(tag);
    const stack = this.stacks.value.get(tag) ?? [];
    const last = top(stack);
    if (sameRange(last?.x ?? null, zoom.x) && sameRange(last?.y ?? null, zoom.y)) return stack;
    return zoom.x || zoom.y ? [zoom] : [];
  }

  private keep(tag: string, stack: ZoomStack): void {
    const zoom = top(stack);
    this.stacks.value = changed(this.stacks.value, tag, stack.length > 0 ? stack : null);
    if (this.link.value) this.linkedX.set(zoom?.x ?? null);
    const own: Zoom | null = zoom && this.link.value ? (zoom.y ? { x: null, y: zoom.y } : null) : zoom;
    this.zooms.set(changed(this.zooms.value, tag, own));
  }

  setXKind(kind: 'step' | 'relative' | 'wall'): void {
    this.x.set(kind);
    this.stacks.value = new Map();
    this.linkedX.set(null);
    this.zooms.set(new Map());
  }

  setThresholds(tags: readonly string[], threshold: Threshold | null): void {
    let next = this.thresholds.value;
    for (const tag of tags) next = changed(next, tag, threshold);
    this.thresholds.value = next;
    this.ctx.memory.set('thresholds', Object.fromEntries(next));
  }

  toggle(setting: Setting<readonly string[]>, name: string): void {
    const { value } = setting;
    setting.set(value.includes(name) ? value.filter((n) => n !== name) : [...value, name]);
  }

  setPair(tag: string, second: string | null): void {
    this.pairs.set(changed(this.pairs.value, tag, second));
  }

  private isNew(series: Readonly<Record<string, readonly string[]>> | null): boolean {
    const table = this.table.value;
    if (!series || !table) return true;
    return Object.entries(series).some(([run, tags]) => tags.some((tag) => !table[run]?.[tag]));
  }

  private follow<T>(source: ReadonlySignal<T>): Live<T> {
    const copy = signal(source.value);
    this.stops.push(source.subscribe((value) => (copy.value = value)));
    return copy;
  }

  private setting<T>(key: string, codec: Codec<T>): Setting<T> {
    const source: Mutable<T> = this.ctx.url.state(key, codec);
    const copy = this.follow(source) as Setting<T>;
    copy.set = (value, how) => source.set(value, how);
    return copy;
  }
}

function changed<T>(map: ReadonlyMap<string, T>, key: string, value: T | null): ReadonlyMap<string, T> {
  if (value === null && !map.has(key)) return map;
  const next = new Map(map);
  if (value === null) next.delete(key);
  else next.set(key, value);
  return next;
}

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
