import { signal, type ReadonlySignal as Live } from '@preact/signals';
import type { PluginContext } from '@insight-host/api';
import type { ChangedSeries, TagInfo } from '@insight-host/kit';
import { cardId, type CardKey, codecs, StepBoard } from '@insight-host/kit';
import { binCount, histogramView, stepCount, VIEWS } from './answer';

type Range = readonly [low: number, high: number];

const REST = 500; // ms between two questions about what grows

/** A board of histograms: steps of one series on each card, or all runs of a tag at one step. */
export class HistogramBoard<Info extends TagInfo = TagInfo> extends StepBoard<Info> {
  readonly view = this.setting('view', histogramView);
  readonly stepCount = this.setting('count', stepCount);
  readonly binCount = this.setting('bins', binCount);
  /** The axis of values is not that of the most extreme steps. */
  readonly outliers = this.setting('outliers', codecs.flag(false));
  /** All runs of a tag have the same axis of values. */
  readonly sameRange = this.setting('range', codecs.flag(true));
  readonly compare = this.setting('compare', codecs.flag(false));
  /** Whether a card is of all runs. */
  readonly isComparing: Live<boolean> = this.compare;

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

  protected override hasTagCards(): boolean {
    return this.isComparing.value;
  }

  protected override changed(series: ChangedSeries): void {
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

  /** The values of all runs of a tag that were looked at; undefined: each card has its own axis. */
  rangeOf(tag: string): Range | undefined {
    if (!this.sameRange.value) return undefined;
    let [low, high] = [Infinity, -Infinity];
    for (const run of this.runNames(tag)) {
      const range = this.ranges.value.get(cardId({ tag, run }));
      if (range) [low, high] = [Math.min(low, range[0]), Math.max(high, range[1])];
    }
    return low < high ? [low, high] : undefined;
  }

  turnView(): void {
    this.view.set(VIEWS[(VIEWS.indexOf(this.view.value) + 1) % VIEWS.length] as (typeof VIEWS)[number]);
  }
}
