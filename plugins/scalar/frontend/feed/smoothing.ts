/** Ways to smooth, as the host names them, and what the page smooths by itself. */
import type { Codec } from '@insight-host/api';
import { isWhole, type Series } from './series';

/** Ways to smooth, as the host names them (`smoother`); `ema` is TensorBoard's. */
export type Smoother = 'ema' | 'twema' | 'gaussian' | 'mean';
export const SMOOTHERS: readonly Smoother[] = ['ema', 'twema', 'gaussian', 'mean'];

/** Whether the page can do it. */
export function canSmooth(smoother: Smoother): boolean {
  return smoother === 'ema';
}

const UNIT_POINTS = 101; // that decide the unit of time of `twema`, see _GAPS in smoothers.py

/** Whether new points leave the smoothed ones of a series of so many points as they are. */
export function isSettled(smoother: Smoother, points: number): boolean {
  return smoother === 'ema' || (smoother === 'twema' && points >= UNIT_POINTS);
}

export const MAX_SMOOTHING = 0.999;

/** Weight of smoothing; anything that is not a number from 0 to 0.999 is none. */
export const smoothingCodec: Codec<number> = {
  parse: (t) => clampSmoothing(t === null ? 0 : Number(t)),
  format: (value) => (value > 0 ? String(Number(value.toFixed(3))) : null),
};

function clampSmoothing(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.min(MAX_SMOOTHING, value)) : 0;
}

const known = new WeakMap<Series, Series>(); // the last one of each

/** Whether the page can smooth the series as the host would. */
export function keepsEverything(series: Series): boolean {
  // 0 stands for all that a logarithm has not
  return isWhole(series) && !(series.precision?.relative && series.values.includes(0));
}

/**
 * TensorBoard's debiased exponential moving average of each attempt; see `average` of insight_core/store/reduction.py.
 * Of a series that lacks points a draft: each point that is there stands for those since the one before it.
 */
export function smoothed(series: Series, weight: number): Series {
  let found = known.get(series);
  if (found?.smoothing === weight) return found;
  const values = new Float64Array(series.values.length);
  const edges = [0, ...series.breaks, values.length];
  const apart = series.decimated ? stepsApart(series) : 1;
  for (let i = 0; i + 1 < edges.length; i++)
    average(series, apart, values, edges[i] as number, edges[i + 1] as number, weight);
  // a draft is at most as precise as the recorded values
  found = { ...series, values, smoothing: weight, precision: series.precision ?? (series.decimated ? ROUGH : null) };
  known.set(series, found);
  return found;
}

/** Steps between two recorded points, of all attempts: a restart goes back. */
function stepsApart({ steps, points, breaks }: Series): number {
  const edges = [0, ...breaks, steps.length];
  const starts = edges.slice(0, -1).filter((start, i) => start < (edges[i + 1] as number));
  const ends = starts.map((_, i) => (starts[i + 1] ?? steps.length) - 1);
  const along = starts.reduce(
    (sum, start, i) => sum + (steps[ends[i] as number] as number) - (steps[start] as number),
    0,
  );
  return along / (points - starts.length);
}

const ROUGH = { by: 0, relative: false };

function average(
  { values, steps, decimated }: Series,
  apart: number,
  out: Float64Array,
  start: number,
  end: number,
  weight: number,
): void {
  let [last, mass, first, varied] = [0, 0, 0, false];
  for (let i = start; i < end; i++) {
    const value = values[i] as number;
    out[i] = value;
    if (!Number.isFinite(value)) continue;
    varied ||= mass > 0 && value !== first;
    first = value;
    const gap = decimated && i > start ? ((steps[i] as number) - (steps[i - 1] as number)) / apart : 1;
    const kept = gap === 1 ? weight : weight ** gap;
    last = kept * last + (1 - kept) * value;
    mass = kept * mass + (1 - kept);
    if (varied) out[i] = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, last / mass));
  }
}
