import type { Columns } from '@insight-host/api';
import { describe, expect, it } from 'vitest';
import {
  chartData,
  countsOf,
  decodeHistograms,
  errorPlaces,
  histogramTable,
  nonfinite,
  percentilesOf,
  runRows,
  stepRows,
} from './answer';

function answer(described: object, more: Readonly<Record<string, Float64Array | BigInt64Array>> = {}): Columns {
  const columns: Record<string, Float64Array | BigInt64Array> = {
    steps: BigInt64Array.of(5n, 9n),
    wall_times: Float64Array.of(100, 160),
    indices: BigInt64Array.of(0n, 2n),
    edges: Float64Array.of(0, 1, 2),
    counts: Float64Array.of(1, 2, 3, 4),
    beyond: Float64Array.of(0, 2.5),
    mins: Float64Array.of(0, NaN),
    maxs: Float64Array.of(2, NaN),
    means: Float64Array.of(1, NaN),
    percentiles: Float64Array.from({ length: 18 }, (_, i) => i),
    totals: BigInt64Array.of(3n, 9n),
    nans: BigInt64Array.of(0n, 1n),
    pos_infs: BigInt64Array.of(0n, 1n),
    neg_infs: BigInt64Array.of(0n, 0n),
    ...more,
  };
  return {
    metadata: { histograms: JSON.stringify(described) },
    names: Object.keys(columns),
    column: (name) => columns[name] as Float64Array,
  };
}

const error = { run: 'a', index: 1, step: 7, wall_time: 130, error: 'no histogram' };
const found = decodeHistograms(
  answer({ points: 3, kept: 3, hidden: 0, available: 3, shown: 3, origin: 100, errors: [error] }),
);

describe('an answer', () => {
  it('is cut into rows', () => {
    expect(Array.from(countsOf(found, 1))).toEqual([3, 4]);
    expect(Array.from(percentilesOf(found, 1))).toEqual([9, 10, 11, 12, 13, 14, 15, 16, 17]);
    expect(nonfinite(found)).toEqual([1, 1, 0]);
  });

  it('is a table to read, with dates, and nothing where the writer said nothing', () => {
    const { head, rows } = chartData(found);
    expect(rows.map((row) => row[head.indexOf('wall_time')])).toEqual([
      '1970-01-01T00:01:40.000Z',
      '1970-01-01T00:02:40.000Z',
    ]);
    expect(rows.map((row) => row[head.indexOf('min')])).toEqual([0, null]);
  });

  it('has its rows where steps, or times, are', () => {
    expect(stepRows(found, 'step').map(({ id, at }) => [id, at])).toEqual([
      ['0', 5],
      ['2', 9],
    ]);
    expect(stepRows(found, 'relative').map(({ at }) => at)).toEqual([0, 60]);
    expect(stepRows(found, 'wall').map(({ at }) => at)).toEqual([100, 160]);
    expect([errorPlaces(found, 'step'), errorPlaces(found, 'relative')]).toEqual([[7], [30]]);
  });

  it('of several runs has the colour of each', () => {
    const runs = decodeHistograms(answer({ runs: ['a', 'b'], errors: [] }, { axis: BigInt64Array.of(5n, 7n, 9n) }));
    expect(
      runRows(
        runs,
        (run) => run.toUpperCase(),
        (run) => `color of ${run}`,
      ).map(({ id, label, color }) => [id, label, color]),
    ).toEqual([
      ['a', 'A', 'color of a'],
      ['b', 'B', 'color of b'],
    ]);
    expect(Array.from(runs.axis)).toEqual([5, 7, 9]);
  });

  it('is a table for other programs', () => {
    const table = histogramTable(found);
    expect(table[0]).toEqual([
      'step',
      'wall_time',
      'count',
      'nan',
      'pos_inf',
      'neg_inf',
      'min',
      'max',
      'mean',
      '[0, 1)',
      '[1, 2]',
    ]);
    expect(table[2]).toEqual([9, 160, 9, 1, 1, 0, '', '', '', 3, 4]);
  });
});
