import type { Columns } from '@insight-host/api';
import { describe, expect, it } from 'vitest';
import { curvesOf, indexAt, indexOnPath, pathOf, tableOf, type Curve } from './board';

const THREE = ['thresholds', 'true_positives', 'false_positives', 'true_negatives', 'false_negatives', 'precision'];

function answer(runs: readonly object[], columns: Readonly<Record<string, readonly number[]>>): Columns {
  return {
    metadata: { curves: JSON.stringify({ runs, errors: [{ run: 'c', step: 1, error: 'no curve' }] }) },
    names: Object.keys(columns),
    column: (name) => Float64Array.from(columns[name] ?? []),
  };
}

const described = { step: 3, recorded: 3, average_precision: 0.7, best: { f1: 0.8, threshold: 0.5 }, no_roc: null };

function two(): readonly Curve[] {
  const columns: Record<string, readonly number[]> = { axis: [3, 4] };
  for (const [i, name] of [...THREE, 'recall', 'f1', 'false_positive_rate'].entries())
    columns[name] = [0, 1, 2, 3, 4].map((at) => 10 * i + at);
  columns['thresholds'] = [0, 0.5, 1, 0, 1];
  columns['true_positives'] = [4, 3, 1, 1, 0];
  columns['false_negatives'] = [0, 1, 3, 0, 1];
  const runs = [
    { ...described, run: 'a', points: 3, roc_area: 0.9 },
    { ...described, run: 'b', points: 2, roc_area: null, no_roc: { error: 'one class' } },
  ];
  const found = curvesOf(answer(runs, columns));
  expect(found.axis).toEqual(Float64Array.of(3, 4));
  expect(found.errors).toEqual([{ run: 'c', step: 1, error: 'no curve' }]);
  return found.curves;
}

describe('curves of an answer', () => {
  it('are cut into runs in their order', () => {
    const [a, b] = two();
    expect([a?.run, b?.run]).toEqual(['a', 'b']);
    expect(a?.precision).toEqual(Float64Array.of(50, 51, 52));
    expect(b?.precision).toEqual(Float64Array.of(53, 54));
    expect(a?.truePositiveRate).toEqual(Float64Array.of(1, 0.75, 0.25));
    expect(b?.noRoc).toEqual({ error: 'one class' });
  });

  it('run from the largest threshold to the smallest, a ROC curve from the corner on', () => {
    const [a] = two() as [Curve];
    expect(pathOf(a, 'pr')).toEqual({ x: Float64Array.of(62, 61, 60), y: Float64Array.of(52, 51, 50) });
    expect(pathOf(a, 'roc')).toEqual({ x: Float64Array.of(0, 82, 81, 80), y: Float64Array.of(0, 0.25, 0.75, 1) });
    expect([0, 1, 2].map((place) => indexOnPath(a, 'pr', place))).toEqual([2, 1, 0]);
    expect([0, 1, 2, 3].map((place) => indexOnPath(a, 'roc', place))).toEqual([2, 2, 1, 0]);
  });

  it('are read at the first threshold that is not below the chosen one', () => {
    const [a] = two() as [Curve];
    expect([0, 0.2, 0.5, 0.51, 1, 2].map((threshold) => indexAt(a, threshold))).toEqual([0, 1, 1, 2, 2, 2]);
  });

  it('are one table with a row for each threshold', () => {
    const table = tableOf({ t: (key) => key }, { curves: two(), errors: [], axis: new Float64Array() });
    expect(table.head).toHaveLength(11);
    expect(table.rows).toHaveLength(5);
    expect(table.rows[3]?.slice(0, 4)).toEqual(['b', 3, 0, 1]);
  });
});
