import { describe, expect, it } from 'vitest';
import { makeScale } from '../draw/area';
import { satisfying, toPixels, within } from './threshold';

const sy = makeScale([0, 10], [100, 0]);
const zigzag = { points: Float64Array.of(0, 100, 10, 0, 20, 100), starts: [0], end: 3 }; // 0, 10, 0

describe('threshold', () => {
  it('cuts a line where it crosses', () => {
    const [above] = satisfying({ first: { operator: '>', value: 5 } }).map((i) => toPixels(i, sy));
    const red = within(zigzag, above!);
    expect([...red.points]).toEqual([5, 50, 10, 0, 15, 50]);
    expect(red.starts).toEqual([0]);
    const [below] = satisfying({ first: { operator: '<', value: 5 } }).map((i) => toPixels(i, sy));
    const other = within(zigzag, below!);
    expect([...other.points]).toEqual([0, 100, 5, 50, 15, 50, 20, 100]);
    expect(other.starts).toEqual([0, 2]);
  });

  it('joins two conditions', () => {
    const between = satisfying({
      first: { operator: '>', value: 2 },
      join: 'and',
      second: { operator: '<', value: 4 },
    });
    expect(between).toEqual([{ low: 2, lowClosed: false, high: 4, highClosed: false }]);
    expect(
      satisfying({ first: { operator: '<', value: 1 }, join: 'and', second: { operator: '>', value: 2 } }),
    ).toEqual([]);
    expect(
      satisfying({ first: { operator: '<', value: 1 }, join: 'or', second: { operator: '>', value: 2 } }),
    ).toHaveLength(2);
    expect(
      satisfying({ first: { operator: '<=', value: 1 }, join: 'and', second: { operator: '>=', value: 1 } }),
    ).toHaveLength(1);
  });

  it('knows < from <= on a flat line', () => {
    const flat = { points: Float64Array.of(0, 50, 10, 50), starts: [0], end: 2 };
    const strict = toPixels(satisfying({ first: { operator: '<', value: 5 } })[0]!, sy);
    const loose = toPixels(satisfying({ first: { operator: '<=', value: 5 } })[0]!, sy);
    expect(within(flat, strict).end).toBe(0);
    expect(within(flat, loose).end).toBe(2);
  });

  it('below zero on a log axis is below everything', () => {
    const log = makeScale([1, 100], [100, 0], true);
    const all = toPixels(satisfying({ first: { operator: '>', value: -1 } })[0]!, log);
    expect(within(zigzag, all).end).toBe(3);
  });
});
