/** What a chart of histograms shows, and what it tells. */
import type { Locale, Theme } from '@insight-host/api';
import type { Chart } from '@insight-host/kit';
import type { Numbers, XKind } from '@insight-host/kit/draw';

/**
 * `front`: all lines upon each other; `top`: each behind the next, seen from above at 45 degrees;
 * `distributions`: bands of percentiles over steps; `heatmap`: counts as colours over steps.
 */
export type HistogramView = 'front' | 'top' | 'distributions' | 'heatmap';

/** One histogram: of a step, or of a run. */
export interface HistogramRow {
  readonly id: string;
  /** What the legend of a file says, for rows with a colour of their own. */
  readonly label: string;
  /** Its place on the axis of rows: a step, or seconds, as `rowKind` says. */
  readonly at: number;
  /** Of each bin: one less than there are edges. */
  readonly counts: Numbers;
  /** The smallest value, those that 7, 16, 31, 50, 69, 84, 93 percent lie below, and the largest; NaN for none. */
  readonly percentiles: Numbers;
  /** By default the chart's colour, the paler the earlier. */
  readonly color?: string;
}

export interface HistogramChartProps {
  readonly view: HistogramView;
  /** Of the bins, in ascending order, the same for every row. */
  readonly edges: Numbers;
  /** In the order in which they were written. */
  readonly rows: readonly HistogramRow[];
  readonly rowKind: XKind;
  readonly color: string;
  /** Range of values to show; that of the edges when absent. */
  readonly extent?: readonly [number, number];
  /** Places of rows that could not be read. */
  readonly errors?: readonly number[];
  /** A row that stands out although the pointer is elsewhere. */
  readonly marked?: string | null;
  readonly valueLabel: string;
  readonly countLabel: string;
  readonly rowLabel: string;
  readonly title: string;
  readonly theme: Theme;
  readonly locale: Locale;
  /** Accessible description of the chart. */
  readonly description: string;
  /** The pointer or the arrow keys are at a bin of a row (null: no longer). */
  readonly onCursor?: (cursor: HistogramCursor | null) => void;
  readonly onClick?: (cursor: HistogramCursor) => void;
}
export interface HistogramCursor {
  /** Index of the row and of its bin. */
  readonly row: number;
  readonly bin: number;
  /** Pixels from the left and top of the chart's host element. */
  readonly px: number;
  readonly py: number;
}
export type HistogramChart = Chart<HistogramChartProps>;
