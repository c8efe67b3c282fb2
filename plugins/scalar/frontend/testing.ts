/** Series and questions, for tests. */
import type { CardQuery } from './feed';
import type { GroupQuery } from './grouping';
import type { Series } from './series';
import type { SeriesQuery } from './source';

const query = {
  x: 'step',
  logX: false,
  window: null,
  width: 100,
  smoothing: 0,
  smoother: 'ema',
  attempts: 'last',
  values: 'linear',
  times: false,
} as const;
export const seriesQuery: SeriesQuery = { ...query, tag: 't' };
export const groupQuery: GroupQuery = { group: '(.)', by: [], centre: 'mean', spread: 'minmax' };
export const cardQuery: CardQuery = { ...query, layers: [], group: null, raw: true };

/** A series that is here as a whole, in one attempt. */
export function fakeSeries(steps: readonly number[], values: readonly number[], more: Partial<Series> = {}): Series {
  return {
    run: 'r',
    tag: 't',
    steps: Float64Array.from(steps),
    wallTimes: Float64Array.from(steps, (step) => 100 + step),
    values: Float64Array.from(values),
    precision: null,
    points: steps.length,
    decimated: false,
    total: steps.length,
    hidden: 0,
    kept: steps.length,
    origin: 100,
    extent: [steps[0] ?? NaN, steps.at(-1) ?? NaN],
    restarts: [],
    breaks: [],
    nonfinite: { nan: 0, inf: 0, neg_inf: 0 },
    ...more,
  };
}
