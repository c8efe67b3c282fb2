import { histograms as en } from '../locales/en.json';
import { histograms as zh } from '../locales/zh-CN.json';
import { type ReadonlySignal as Live, signal } from '@preact/signals';
import {
  codecs,
  type Page,
  type SeriesChoice,
  type Setting,
  cardId,
  type CardKey,
  type Tags,
  type TabProps,
} from '@insight-host/kit';
import { stepParts, type StepParts } from '@insight-host/kit/steps';
import { binCount, histogramView, stepCount, VIEWS } from './answer';
import type { HistogramView } from './props';
import { SeriesClock } from '@insight-host/kit/lab';

/** How histograms are shown. */
export interface HistogramSettings {
  readonly view: Setting<HistogramView>;
  /** How many steps at most. */
  readonly stepCount: Setting<number>;
  /** How many bins; 0 leaves it to the server. */
  readonly binCount: Setting<number>;
  /** The axis of values is not that of the most extreme steps. */
  readonly outliers: Setting<boolean>;
  /** All runs of a tag have the same axis of values. */
  readonly sameRange: Setting<boolean>;
  /** A card shows all runs of a tag at one step. */
  readonly compare: Setting<boolean>;
}

export function histogramSettings(page: Page): HistogramSettings {
  return {
    view: page.setting('view', histogramView),
    stepCount: page.setting('count', stepCount),
    binCount: page.setting('bins', binCount),
    outliers: page.setting('outliers', codecs.flag(false)),
    sameRange: page.setting('range', codecs.flag(true)),
    compare: page.setting('compare', codecs.flag(false)),
  };
}

export function turnView({ view }: HistogramSettings): void {
  view.set(VIEWS[(VIEWS.indexOf(view.value) + 1) % VIEWS.length] as HistogramView);
}

/** What a tab of histograms is made of: steps of one series on each card, or all runs of a tag at one step. */
export interface HistogramParts extends StepParts {
  readonly histograms: HistogramSettings;
  readonly versions: SeriesVersions;
  readonly ranges: ValueRanges;
}

/** `perTag`: whether a card is of all runs. */
export function histogramParts(
  page: Page,
  histograms = histogramSettings(page),
  perTag: Live<boolean> = histograms.compare,
  series?: SeriesChoice,
): HistogramParts {
  const parts = stepParts(page, perTag, series);
  return {
    ...parts,
    histograms,
    versions: new SeriesVersions(page),
    ranges: new ValueRanges(parts.tags, histograms.sameRange),
  };
}

type Range = readonly [low: number, high: number];

/** The values of the cards that were looked at, for axes that all runs of a tag share. */
export class ValueRanges {
  private readonly ranges = signal<ReadonlyMap<string, Range>>(new Map());

  constructor(
    private readonly tags: Tags,
    private readonly shared: Live<boolean>,
  ) {}

  /** What a card has found out about its values. */
  set(card: CardKey, range: Range): void {
    const id = cardId(card);
    const old = this.ranges.value.get(id);
    if (old?.[0] !== range[0] || old[1] !== range[1]) this.ranges.value = new Map(this.ranges.value).set(id, range);
  }

  /** Of all runs of a tag; undefined: each card has its own axis. */
  of(tag: string): Range | undefined {
    if (!this.shared.value) return undefined;
    let [low, high] = [Infinity, -Infinity];
    for (const run of this.tags.runNames(tag)) {
      const range = this.ranges.value.get(cardId({ tag, run }));
      if (range) [low, high] = [Math.min(low, range[0]), Math.max(high, range[1])];
    }
    return low < high ? [low, high] : undefined;
  }
}

const REST = 500; // ms between two questions about what grows

/** Says when to ask again about series that grow: at most every half second. */
export class SeriesVersions {
  private readonly clock = new SeriesClock();
  /** Grows when there may be something new to ask. */
  private readonly tick = signal(0);

  constructor(page: Page) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    page.until(() => clearTimeout(timer));
    page.onChange(page.ctx.changes, ({ series }) => {
      this.clock.changed(series);
      timer ??= setTimeout(() => {
        timer = undefined;
        this.tick.value++;
      }, REST);
    });
  }

  /** Another number when one of these runs of a tag has changed. */
  of(tag: string, runs: readonly string[]): number {
    void this.tick.value;
    return this.clock.latest(tag, runs);
  }
}

/** Texts of `HistogramParts` and its cards, for the catalogues of tabs that have them. */
export const histogramMessages: TabProps<never>['messages'] = { en, 'zh-CN': zh };
