import type { ReadonlySignal as Live } from '@preact/signals';
import { codecs, type Page, type SeriesChoice, type Setting } from '@insight-host/kit';
import { stepParts, type StepParts } from '@insight-host/kit/steps';
import { binCount, histogramView, stepCount, VIEWS } from './answer';
import type { HistogramView } from './props';
import { ValueRanges } from './ranges';
import { SeriesVersions } from './versions';

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
