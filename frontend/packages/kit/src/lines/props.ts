/** What a line chart shows, and what it tells. */
import type { ColorScale, Locale, Theme } from '@insight-host/api';
import type { Chart } from '@insight-host/kit';
import type { Area, AxisKind, Numbers } from '@insight-host/kit/draw';

export interface Line {
  readonly id: string;
  readonly label: string;
  readonly color: string;
  readonly x: Numbers;
  readonly y: Numbers;
  /**
   * 'raw' is the faint line behind a smoothed one: not in the legend, not read by the cursor. 'best' lies above all
   * and stands out where these are many.
   */
  readonly role?: 'main' | 'raw' | 'best';
  /** Names of the runs that it shows: it stands out while one of them is hovered. */
  readonly runs?: readonly string[];
  readonly axis?: 'left' | 'right';
  readonly dash?: readonly number[];
  /** Indices at which a new attempt begins: the line is not joined there. */
  readonly breaks?: readonly number[];
  /** There are points between these that were left out because they would not be seen. */
  readonly decimated?: boolean;
  /**
   * Lower and upper edge of a band around the line, of the same length as `x`. With `bars` they are error bars, one at
   * each point where both are finite, drawn as a band where points are too close for bars.
   */
  readonly band?: { readonly low: Numbers; readonly high: Numbers; readonly bars?: boolean };
}

export interface ThresholdCondition {
  readonly operator: '<' | '>' | '<=' | '>=';
  readonly value: number;
}
/** Both conditions hold (`and`) or one of them (`or`): the part of a line where that is so is drawn red. */
export interface Threshold {
  readonly first: ThresholdCondition;
  readonly join?: 'and' | 'or';
  readonly second?: ThresholdCondition;
}

/** A vertical mark; the chart shows its text while the pointer is at it. */
export interface Mark {
  readonly x: number;
  readonly color: string;
  readonly text: string;
}
/** A point that is drawn as a large dot over all lines. */
export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly color: string;
}
export interface LineChartProps {
  readonly lines: readonly Line[];
  /** With these the cursor draws no dots of its own on the lines. */
  readonly dots?: readonly Dot[];
  /** The lines are not known yet: nothing is drawn. */
  readonly pending?: boolean;
  /** What the colours of the lines follow: in files a bar of it stands in the place of the legend. */
  readonly scale?: ColorScale;
  /** A few lines have their names at their ends, unless the chart is small. */
  readonly showsEnds?: boolean;
  readonly xKind: AxisKind;
  readonly logX?: boolean;
  readonly logY?: boolean;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly yRightLabel?: string;
  readonly title: string;
  /** Whole x range when not zoomed; from the lines when absent. */
  readonly xExtent?: readonly [number, number];
  /**
   * A few lines and values that lie far from all others do not stretch the y range. `onClipped` learns the ends of the
   * axes that they lie beyond, and an arrow stands where a line leaves the plot.
   */
  readonly ignoreOutliers?: boolean;
  /** x window to show, null for everything; zooming and panning report through `onView`. */
  readonly xWindow?: readonly [number, number] | null;
  readonly yWindow?: readonly [number, number] | null;
  readonly tool?: 'box' | 'pan';
  readonly threshold?: Threshold | null;
  readonly marks?: readonly Mark[];
  /** x of the cursor shown although the pointer is elsewhere (a linked chart). */
  readonly cursorX?: number | null;
  readonly theme: Theme;
  readonly locale: Locale;
  /** Accessible description of the chart. */
  readonly description: string;
  /** The user zoomed or panned; null axis: back to everything on that axis. */
  readonly onView?: (
    view: { x: readonly [number, number] | null; y: readonly [number, number] | null },
    how: 'zoom' | 'pan' | 'reset',
  ) => void;
  /**
   * The pointer moved over the plot (null: left it). `nearest` are points of main lines near x, nearest to the pointer
   * first.
   */
  readonly onCursor?: (cursor: Cursor | null) => void;
  readonly onClick?: (cursor: Cursor) => void;
  readonly onClipped?: (ends: readonly number[]) => void;
}
export interface Cursor {
  readonly x: number;
  readonly y: number;
  /** Pixels from the left and top of the chart's host element. */
  readonly px: number;
  readonly py: number;
  /** From which x to which a mark is at the pointer. */
  readonly reach: readonly [number, number];
  readonly nearest: readonly {
    readonly id: string;
    readonly index: number;
    readonly x: number;
    readonly y: number;
    /** Pixels from the pointer. */
    readonly distance: number;
  }[];
}
export interface LineChart extends Chart<LineChartProps> {
  /** Plot area in CSS pixels; its width is the `width` to ask the server for. */
  readonly plot: Area;
  /** Lines of these runs stand out, all others fade. Draws the overlay only, however many lines there are. */
  hover(runs: readonly string[]): void;
  /** What is shown now, with the windows where the user has zoomed or panned to. */
  readonly shown: LineChartProps;
}
