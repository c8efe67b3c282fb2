import { computed, signal } from '@preact/signals';
import type { PluginContext } from 'insight-host';
import { binCount, cardId, codecs, histogramView, seriesCards, stepCount, StepBoard, tagCards, VIEWS, type CardGroup, type CardKey } from 'insight-host/kit';

type Range = readonly [number, number];
type Changed = Parameters<StepBoard['changed']>[0];

const REST = 500; // ms between two questions about what grows

/** What the tab shows: steps of one series on each card, or with `compare` all runs at one step. */
export class HistogramBoard extends StepBoard {
  readonly view = this.setting('view', histogramView);
  readonly stepCount = this.setting('count', stepCount);
  readonly binCount = this.setting('bins', binCount);
  readonly compare = this.setting('compare', codecs.flag(false));
  /** The axis of values is not that of the most extreme steps. */
  readonly outliers = this.setting('outliers', codecs.flag(false));
  /** All runs of a tag have the same axis of values. */
  readonly sameRange = this.setting('range', codecs.flag(true));
  /** Grows when there may be something new to ask. */
  private readonly tick = signal(0);
  private readonly versions = new Map<string, number>();
  private everything = 0; // how often all may have changed
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly ranges = signal<ReadonlyMap<string, Range>>(new Map());

  constructor(ctx: PluginContext) {
    super(ctx);
    this.until(() => clearTimeout(this.timer));
  }

  override readonly groups = computed<readonly CardGroup[]>(() => {
    const byTag = this.runsByTag.value;
    const pins = this.pins.value.filter((tag) => byTag.has(tag));
    if (this.compare.value) return tagCards(this.shownTags.value, pins);
    return seriesCards(this.shownTags.value, pins, (tag) => byTag.get(tag)?.map((run) => run.name) ?? []);
  });

  protected override changed(series: Changed): void {
    super.changed(series);
    if (!series) this.everything++;
    for (const [run, tags] of Object.entries(series ?? {})) {
      for (const tag of tags) {
        const id = cardId({ tag, run });
        this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
      }
    }
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.tick.value++;
    }, REST);
  }

  /** How often these runs of a tag have changed. */
  version(tag: string, runs: readonly string[]): number {
    void this.tick.value;
    return runs.reduce((sum, run) => sum + (this.versions.get(cardId({ tag, run })) ?? 0), this.everything);
  }

  /** What a card has found out about its values. */
  setRange(card: CardKey, range: Range): void {
    const id = cardId(card);
    const old = this.ranges.value.get(id);
    if (old?.[0] !== range[0] || old[1] !== range[1]) this.ranges.value = new Map(this.ranges.value).set(id, range);
  }

  /** The values of all runs of a tag that were looked at; undefined: each card has its own. */
  rangeOf(tag: string): Range | undefined {
    if (!this.sameRange.value) return undefined;
    let [lo, hi] = [Infinity, -Infinity];
    for (const run of this.runsByTag.value.get(tag) ?? []) {
      const range = this.ranges.value.get(cardId({ tag, run: run.name }));
      if (range) [lo, hi] = [Math.min(lo, range[0]), Math.max(hi, range[1])];
    }
    return lo < hi ? [lo, hi] : undefined;
  }

  turnView(): void {
    this.view.set(VIEWS[(VIEWS.indexOf(this.view.value) + 1) % VIEWS.length] as (typeof VIEWS)[number]);
  }
}
