import { exactAt } from '@insight-host/kit';
import type { Series } from './series';

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
