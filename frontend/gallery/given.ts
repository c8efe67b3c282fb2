import type { Page, Setting, StepBoard } from '@insight-host/kit';
import type { HistogramBoard } from '@insight-host/kit/histograms';

/** What examples may use: the page, settings in its URL, and boards in each state. */
export interface Given {
  readonly page: Page;
  readonly grid: Setting<boolean>;
  readonly values: Setting<boolean>;
  readonly full: Setting<boolean>;
  readonly amount: Setting<number>;
  readonly board: StepBoard;
  readonly histograms: HistogramBoard;
  readonly loading: StepBoard;
  readonly failing: StepBoard;
  readonly empty: StepBoard;
}
