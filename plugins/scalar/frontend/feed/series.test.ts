import { describe, expect, it } from 'vitest';
import { fakeSeries as series } from './fake_board';
import { count, indexAt, mergeTail, pointsIn, summary, xColumn, type Series } from './series';

describe('merging what was appended', () => {
  const old = series([1, 2, 3], [10, 20, 30]);
  it('replaces the overlap and keeps the rest', () => {
    const tail = series([3, 4, 5], [31, 40, NaN], { total: 5, kept: 5 });
    const merged = mergeTail(old, tail, 3, 'step');
    expect([...merged!.steps]).toEqual([1, 2, 3, 4, 5]);
    expect([...merged!.values]).toEqual([10, 20, 31, 40, NaN]);
    expect(merged).toMatchObject({ points: 5, total: 5, nonfinite: { nan: 1 } });
    expect(mergeTail(old, tail, 103, 'wall')).not.toBeNull();
  });
  it('refuses where a point is missing, hidden, restarted or left out', () => {
    const tail = (more: Partial<Series>): Series => series([3, 4], [30, 40], { total: 4, kept: 4, ...more });
    expect(mergeTail(old, tail({}), 3, 'step')).not.toBeNull();
    expect(mergeTail(old, tail({ total: 5, kept: 5 }), 3, 'step')).toBeNull();
    expect(mergeTail(old, tail({ hidden: 1 }), 3, 'step')).toBeNull();
    expect(mergeTail(old, tail({ restarts: [3] }), 3, 'step')).toBeNull();
    expect(mergeTail(old, tail({ decimated: true }), 3, 'step')).toBeNull();
    expect(mergeTail(old, tail({ kept: 3 }), 3, 'step')).toBeNull();
    expect(mergeTail(old, tail({ origin: 99 }), 3, 'step')).toBeNull();
    expect(mergeTail({ ...old, decimated: true }, tail({}), 3, 'step')).toBeNull();
  });
});

describe('series', () => {
  it('have three kinds of x, and add up', () => {
    const s = series([1, 2], [1, 1]);
    expect([...xColumn(s, 'relative')]).toEqual([1, 2]);
    expect([...xColumn(s, 'wall')]).toEqual([101, 102]);
    expect(count([s, s])).toMatchObject({ points: 4, total: 4, hidden: 0 });
  });
  it('find a point again after data came', () => {
    const s = series([1, 2, 4], [0, 0, 0]);
    expect(indexAt(s, 'step', { index: 1, x: 2 })).toBe(1);
    expect(indexAt(s, 'step', { index: 900, x: 3.9 })).toBe(2);
    expect(indexAt(s, 'relative', { index: 0, x: 4 })).toBe(2);
    expect(indexAt(series([], []), 'wall', { index: 0, x: 1 })).toBe(-1);
  });
  it('are counted in a window, unless some were left out', () => {
    expect(pointsIn([series([1, 2, 3], [0, 0, 0])], [2, 9], 'step')).toBe(2);
    expect(pointsIn([series([1, 2], [0, 0], { decimated: true })], [2, 9], 'step')).toBeNull();
  });
  it('are summed up without what is not finite', () => {
    expect(summary(series([1, 2, 3, 4], [NaN, 5, -Infinity, 2]))).toMatchObject({
      last: 2,
      step: 4,
      min: 2,
      minStep: 4,
      max: 5,
      maxStep: 2,
    });
    expect(summary(series([], [])).min).toBeNaN();
  });
});
