/** Smoothing in the page, of series that are here with every point: the same as the host's. */
import { isWhole, type Series } from './series';

const known = new WeakMap<Series, Series>(); // the last one of each

/** Whether the page can smooth the series as the host would. */
export function canSmooth(series: Series): boolean {
  return isWhole(series) && !(series.precision?.relative && series.values.includes(0)); // 0 stands for all that a logarithm has not
}

/** TensorBoard's debiased exponential moving average of each attempt; see `average` of insight_core/store/reduction.py. */
export function smoothed(series: Series, weight: number): Series {
  let found = known.get(series);
  if (found?.smoothing === weight) return found;
  const values = new Float64Array(series.values.length);
  const edges = [0, ...series.breaks, values.length];
  for (let i = 0; i + 1 < edges.length; i++)
    average(series.values, values, edges[i] as number, edges[i + 1] as number, weight);
  found = { ...series, values, smoothing: weight };
  known.set(series, found);
  return found;
}

function average(values: Series['values'], out: Float64Array, start: number, end: number, weight: number): void {
  let [last, mass, first, varied] = [0, 0, 0, false];
  for (let i = start; i < end; i++) {
    const value = values[i] as number;
    out[i] = value;
    if (!Number.isFinite(value)) continue;
    varied ||= mass > 0 && value !== first;
    first = value;
    last = weight * last + (1 - weight) * value;
    mass = weight * mass + (1 - weight);
    if (varied) out[i] = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, last / mass));
  }
}
