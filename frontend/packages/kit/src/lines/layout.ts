/** The layout of one chart: what is computed before it is painted. */
import type { Area, LegendItem, Scale, Size, Tick } from '@insight-host/kit/draw';
import type { Line, LineChartProps } from './props';
import type { Trace } from './trace';

export interface Window {
  readonly x: readonly [number, number] | null;
  readonly y: readonly [number, number] | null;
}

export interface Entry {
  readonly line: Line;
  readonly trace: Trace;
  readonly band: { readonly low: Trace; readonly high: Trace } | null;
  readonly scale: Scale;
}

export interface Figure {
  readonly props: LineChartProps;
  readonly size: Size;
  readonly plot: Area;
  readonly legend: readonly LegendItem<Line>[];
  readonly x: Scale;
  readonly y: Scale;
  readonly yRight: Scale | null;
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly yRightTicks: readonly Tick[];
  readonly entries: readonly Entry[];
  readonly leftOut: number;
}
