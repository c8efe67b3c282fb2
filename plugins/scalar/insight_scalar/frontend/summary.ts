import type { Series } from './series';

/** One series in a line of the compare table. Steps are NaN without finite values. */
export interface SummaryRow {
  readonly run: string;
  readonly tag: string;
  readonly last: number;
  readonly step: number;
  readonly min: number;
  readonly minStep: number;
  readonly max: number;
  readonly maxStep: number;
  readonly points: number;
}

export type SortKey = keyof SummaryRow;

export function summary(series: Series): SummaryRow {
  const { values, steps } = series;
  let [min, max, minStep, maxStep] = [NaN, NaN, NaN, NaN];
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    if (!(value >= min)) [min, minStep] = [value, steps[i] as number];
    if (!(value <= max)) [max, maxStep] = [value, steps[i] as number];
  });
  return {
    run: series.run,
    tag: series.tag,
    last: values[values.length - 1] ?? NaN,
    step: steps[steps.length - 1] ?? NaN,
    min,
    minStep,
    max,
    maxStep,
    points: series.total,
  };
}
