import type { Columns, Marker } from '@insight-host/api';
import { exactAt, floats } from '@insight-host/kit';
import { spliced } from '@insight-host/kit/lab';
import { isMetric, type Axis } from '../card/axis';

/** One series of an answer for drawing. */
export interface Series {
  readonly run: string;
  readonly tag: string;
  readonly steps: Float64Array;
  /** Empty where the axis needs none. */
  readonly wallTimes: Float64Array;
  /** The metric at each point, where it is the axis. */
  readonly xs?: Float64Array;
  readonly values: Float64Array | Float32Array;
  /** How far a value may be off, `relative` to the value itself or not; null: all are exact. */
  readonly precision: { readonly by: number; readonly relative: boolean } | null;
  readonly points: number;
  readonly decimated: boolean;
  readonly total: number;
  readonly hidden: number;
  /** Of the hidden ones: a session that began later purged them. */
  readonly purged?: number;
  readonly kept: number;
  readonly origin: number;
  readonly extent: readonly [number, number];
  readonly restarts: readonly number[];
  readonly breaks: readonly number[];
  readonly nonfinite: { readonly nan: number; readonly inf: number; readonly neg_inf: number };
  /** The columns in which it was decimated, where they outlast some growth. */
  readonly grid?: Grid;
  /** The weight with which the page has smoothed it. */
  readonly smoothing?: number;
}

/** So many columns from the first step to `until`. */
export interface Grid {
  readonly until: number;
  readonly width: number;
}

export interface Band {
  readonly group: string;
  readonly tag: string;
  readonly runs: readonly string[];
  readonly x: Float64Array;
  /** Mean or median of the runs. */
  readonly centre: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** How many runs reach across each x. */
  readonly count: Float64Array;
  readonly points: number;
  readonly decimated: boolean;
}

/** Points a column up to which the host sends every point for drawing. */
export const WHOLE = 8;
const HEADER_BYTES = 1000; // of a series, about

/** A column that does not hold on to the whole answer, of which other parts may be dropped. */
function owned(column: ReturnType<Columns['column']>): Float64Array {
  const found = floats(column);
  return found.byteLength === found.buffer.byteLength ? found : found.slice();
}

/** Whether every point that is shown of the series is there. */
export function isWhole(series: Series): boolean {
  return !series.decimated && series.points === series.kept - series.hidden;
}

/** Bytes in memory. */
export function sizeOf({ steps, wallTimes, xs, values }: Series): number {
  return HEADER_BYTES + steps.byteLength + (xs?.byteLength ?? 0) + wallTimes.byteLength + values.byteLength;
}

export function decodeBands(columns: Columns): Band[] {
  const headers = JSON.parse(columns.metadata['groups'] ?? '[]') as Pick<
    Band,
    'group' | 'tag' | 'runs' | 'points' | 'decimated'
  >[];
  const column = (i: number, name: string): Float64Array => owned(columns.column(`${i}.${name}`));
  return headers.map((header, i) => ({
    ...header,
    x: column(i, 'x'),
    centre: column(i, 'centre'),
    low: column(i, 'low'),
    high: column(i, 'high'),
    count: column(i, 'count'),
  }));
}

const NONE = new Float64Array(0);

export function xColumn(series: Series, kind: Axis): Float64Array {
  if (kind === 'step') return series.steps;
  if (kind === 'wall') return series.wallTimes;
  if (isMetric(kind)) return series.xs ?? NONE;
  return series.wallTimes.map((t) => t - series.origin);
}

/** x of a step or time on an axis; where the axis has none of it, that of the first point of the series from it on. */
export function placeOf(
  { step, wallTime }: Pick<Marker, 'step' | 'wallTime'>,
  kind: Axis,
  series: Series | undefined,
): number | undefined {
  if (kind === 'step' && step !== undefined) return step;
  if (kind === 'wall' && wallTime !== undefined) return wallTime;
  if (!series) return undefined;
  if (kind === 'relative' && wallTime !== undefined) return wallTime - series.origin;
  const index =
    step === undefined
      ? series.wallTimes.findIndex((time) => time >= (wallTime ?? NaN))
      : series.steps.findIndex((other) => other >= step);
  return xColumn(series, kind)[index];
}

/**
 * Index of a point that was read off a chart. Data may have come since: then it is the point nearest
 * to its x. -1 in an empty series.
 */
export function indexAt(series: Series, kind: Axis, point: { readonly index: number; readonly x: number }): number {
  const shift = kind === 'relative' ? series.origin : 0;
  const column = kind === 'relative' ? series.wallTimes : xColumn(series, kind);
  if ((column[point.index] ?? NaN) - shift === point.x) return point.index;
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < column.length; i++) {
    const distance = Math.abs((column[i] as number) - shift - point.x);
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}

/** Where an x of one kind is found again in a series; `from` of a request for what was appended. */
export function lastX(series: Series, kind: Axis): number {
  const xs = xColumn(series, kind);
  return xs.length > 0 ? (xs[xs.length - 1] as number) : -Infinity;
}

/**
 * Replaces what lies at and after `from` by a newer answer for that window. null when the two do not
 * fit together (a restart, a hidden or a missing point): then everything is fetched again.
 */
export function mergeTail(old: Series, tail: Series, from: number, kind: Axis): Series | null {
  const xs = xColumn(old, kind);
  if (old.decimated || tail.decimated || tail.kept !== tail.total || old.breaks.length > 0 || tail.breaks.length > 0)
    return null;
  if (tail.hidden !== old.hidden || tail.restarts.length !== old.restarts.length || tail.origin !== old.origin)
    return null;
  let cut = xs.length;
  while (cut > 0 && (xs[cut - 1] as number) >= from) cut--;
  if (cut + tail.points !== tail.total - tail.hidden) return null;
  const columns = joinedColumns(old, cut, tail);
  return { ...tail, ...columns, points: columns.steps.length, nonfinite: tally(columns.values) };
}

/** The columns of the first `count` points of a series, then those of another. */
export function joinedColumns(
  old: Series,
  count: number,
  tail: Series,
): Pick<Series, 'steps' | 'wallTimes' | 'precision'> & { readonly values: Float64Array } {
  const hasTimes = old.wallTimes.length === old.steps.length && tail.wallTimes.length === tail.steps.length;
  const [a, b] = [old.precision, tail.precision];
  return {
    steps: spliced(old.steps, count, tail.steps),
    wallTimes: hasTimes ? spliced(old.wallTimes, count, tail.wallTimes) : new Float64Array(0),
    values: spliced(old.values, count, tail.values),
    precision: a && b ? (a.by > b.by ? a : b) : (a ?? b),
  };
}

/** How many values of each kind are not finite. */
export function tally(values: Float64Array): Series['nonfinite'] {
  let [nan, inf, negative] = [0, 0, 0];
  for (const value of values) {
    if (Number.isNaN(value)) nan++;
    else if (value === Infinity) inf++;
    else if (value === -Infinity) negative++;
  }
  return { nan, inf, neg_inf: negative };
}

/** How many points lie in a window of x; null where some were left out of the answer. */
export function pointsIn(all: readonly Series[], window: readonly [number, number], kind: Axis): number | null {
  if (all.some((series) => series.decimated)) return null;
  let found = 0;
  for (const series of all) for (const x of xColumn(series, kind)) if (x >= window[0] && x <= window[1]) found++;
  return found;
}

interface Counts {
  readonly points: number;
  readonly total: number;
  readonly kept: number;
  readonly hidden: number;
  readonly purged: number;
  readonly nan: number;
  readonly inf: number;
  readonly negInf: number;
}

export function count(all: readonly Series[]): Counts {
  const sum = (of: (s: Series) => number): number => all.reduce((n, s) => n + of(s), 0);
  return {
    points: sum((s) => s.points),
    total: sum((s) => s.total),
    kept: sum((s) => s.kept),
    hidden: sum((s) => s.hidden),
    purged: sum((s) => s.purged ?? 0),
    nan: sum((s) => s.nonfinite.nan),
    inf: sum((s) => s.nonfinite.inf),
    negInf: sum((s) => s.nonfinite.neg_inf),
  };
}

/** One series in a line of the compare table. Steps are NaN without finite values. */
export interface SummaryRow {
  readonly run: string;
  readonly tag: string;
  readonly last: number;
  readonly step: number | bigint;
  readonly min: number;
  readonly minStep: number | bigint;
  readonly max: number;
  readonly maxStep: number | bigint;
  readonly points: number;
}

export type SortKey = keyof SummaryRow;

export function summary(series: Series): SummaryRow {
  const { values, steps } = series;
  let [min, max] = [NaN, NaN];
  let [minAt, maxAt] = [-1, -1];
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    if (!(value >= min)) [min, minAt] = [value, i];
    if (!(value <= max)) [max, maxAt] = [value, i];
  });
  return {
    run: series.run,
    tag: series.tag,
    last: values[values.length - 1] ?? NaN,
    step: exactAt(steps, steps.length - 1),
    min,
    minStep: exactAt(steps, minAt),
    max,
    maxStep: exactAt(steps, maxAt),
    points: series.total,
  };
}
