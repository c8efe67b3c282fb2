import { computed, signal } from '@preact/signals';
import type { PluginContext } from '@insight-host/api';
import type { XKind } from '@insight-host/kit/draw';
import type { Threshold } from '@insight-host/kit/lines';
import { Board, changed, codecs, type ChangedSeries } from '@insight-host/kit';
import * as own from './codecs';
import type { LogFlags, Zoom } from './codecs';
import { readThresholds } from './conditions';
import { Feeds } from './feeds';
import { Grouping } from './grouping';
import { look, sameRange, stepBack, top, type ZoomStack } from './zoom_stack';

const CONTINUES = 350; // ms; a wheel's notches and a pan's moves closer than this are one gesture

/** Everything the tab shows, and what the user has set. */
export class ScalarBoard extends Board {
  readonly x = this.setting('x', codecs.xKind);
  readonly smoothing = this.setting('smooth', own.smoothing);
  readonly logX = this.setting('logx', codecs.flag(false));
  readonly logY = this.setting('logy', codecs.flag(false));
  readonly outliers = this.setting('outliers', codecs.flag(false));
  /** Runs differ by their dashes too. */
  readonly dashes = this.setting('dashes', codecs.flag(false));
  readonly link = this.setting('link', codecs.flag(false));
  readonly tool = this.setting('tool', codecs.choice<'box' | 'pan'>(['box', 'pan'], 'box'));
  readonly attempts = this.setting('attempts', codecs.attempts);
  readonly grouping = new Grouping(this.ctx.data, this.setting('group', codecs.text));
  readonly spread = this.setting('spread', codecs.choice<'minmax' | 'std'>(['minmax', 'std'], 'minmax'));
  readonly layout = this.setting('show', codecs.choice<'charts' | 'table'>(['charts', 'table'], 'charts'));
  readonly cardLogs = this.setting('log', own.logFlags);
  readonly zooms = this.setting('zoom', own.zooms);
  readonly linkedX = this.setting('range', own.linkedZoom);
  readonly pairs = this.setting('pairs', own.pairs);

  readonly thresholds = signal<ReadonlyMap<string, Threshold>>(new Map());
  /** x under the pointer of some card, for the others when their x is linked. */
  readonly cursor = signal<{ readonly tag: string; readonly x: number } | null>(null);
  /** Where other tabs stand, or a reading is pinned. */
  private readonly shared = this.follow(this.ctx.cursor);
  readonly dialog = signal<{ readonly kind: 'threshold' | 'pair'; readonly tag: string } | null>(null);
  readonly feeds = new Feeds(this);
  private readonly stacks = signal<ReadonlyMap<string, ZoomStack>>(new Map());
  private lastLook = { tag: '', time: 0 };

  constructor(ctx: PluginContext) {
    super(ctx, 'tag');
    this.thresholds.value = readThresholds(ctx.memory.get<unknown>('thresholds', {}));
  }

  override dispose(): void {
    super.dispose();
    this.grouping.dispose();
    this.feeds.dispose();
  }

  protected override changed(series: ChangedSeries): void {
    this.feeds.changed(series);
  }

  /** Whether another card fills the page. */
  isCovered(tag: string): boolean {
    const full = this.full.value;
    return full !== null && full.tag !== tag && this.has(full);
  }

  /** Whether a shown run has restarts, so that attempts differ. */
  readonly hasRestarts = computed(() => this.attempts.value === 'all' || this.hasAttempts.value);

  /** Says of a series that it has restarts; the list of tags may be older than they are. */
  restarted(run: string, tag: string): void {
    if (!this.hasRestarts.value && this.infoOf(run, tag)?.attempts === 1) void this.loadTags();
  }

  /** x of the cursor of all tabs on an axis; null if it has none there. */
  sharedX(kind: XKind): number | null {
    const { step, wallTime } = this.shared.value ?? {};
    return (kind === 'step' ? step : kind === 'wall' ? wallTime : null) ?? null;
  }

  /** Tells other tabs where the pointer is (null: nowhere) or has been pinned; a relative time says nothing to them. */
  share(how: 'point' | 'pin', kind: XKind, x: number | null): void {
    if (x === null) this.ctx.cursor[how](null);
    else if (kind !== 'relative') this.ctx.cursor[how](kind === 'step' ? { step: x } : { wallTime: x });
  }

  logOf(tag: string): LogFlags {
    return this.cardLogs.value.get(tag) ?? { x: this.logX.value, y: this.logY.value };
  }

  setLog(tag: string, flags: LogFlags): void {
    const same = flags.x === this.logX.value && flags.y === this.logY.value;
    this.cardLogs.set(changed(this.cardLogs.value, tag, same ? null : flags));
    if (flags.x && this.zoomOf(tag).x) this.reset(tag);
  }

  zoomOf(tag: string): Zoom {
    const zoom = this.zooms.value.get(tag) ?? { x: null, y: null };
    return this.link.value ? { x: this.linkedX.value, y: zoom.y } : zoom;
  }

  canStepBack(tag: string): boolean {
    const { x, y } = this.zoomOf(tag);
    return x !== null || y !== null;
  }

  look(tag: string, zoom: Zoom, how: 'zoom' | 'pan' | 'reset'): void {
    const now = Date.now();
    const continues = how !== 'reset' && this.lastLook.tag === tag && now - this.lastLook.time < CONTINUES;
    this.lastLook = { tag, time: now };
    const window = { x: own.rounded(zoom.x), y: own.rounded(zoom.y) };
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
    const kept: Zoom | null = zoom && this.link.value ? (zoom.y ? { x: null, y: zoom.y } : null) : zoom;
    this.zooms.set(changed(this.zooms.value, tag, kept));
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

  setPair(tag: string, second: string | null): void {
    this.pairs.set(changed(this.pairs.value, tag, second));
  }
}
