import type { Page, Setting } from '@insight-host/kit';
import type { StepParts } from '@insight-host/kit/steps';
import type { HistogramParts } from '@insight-host/kit/histograms';

/** What examples may use: the page, settings in its URL, and boards in each state. */
export interface Given {
  readonly page: Page;
  readonly grid: Setting<boolean>;
  readonly values: Setting<boolean>;
  readonly full: Setting<boolean>;
  readonly amount: Setting<number>;
  readonly board: StepParts;
  readonly histograms: HistogramParts;
  readonly loading: StepParts;
  readonly failing: StepParts;
  readonly empty: StepParts;
}
