import { describe, expect, it } from 'vitest';
import { indexAfter, indexOf, nearestIndex, parseStand, positionAt, restartsIn, standText } from './positions';

const steps = (...values: number[]): Float64Array => new Float64Array(values);

describe('the record of a step', () => {
  it('is the nearest one; of two as near, the earlier', () => {
    const ascending = steps(0, 10, 20, 20, 40);
    expect([-5, 0, 4, 5, 6, 20, 29, 30, 31, 99].map((step) => nearestIndex(ascending, step))).toEqual([
      0, 0, 0, 0, 1, 2, 2, 2, 4, 4,
    ]);
    expect(nearestIndex(steps(), 1)).toBe(-1);
    const restarted = steps(0, 10, 20, 5, 15);
    expect([0, 11, 14, 7, 99].map((step) => nearestIndex(restarted, step))).toEqual([0, 1, 4, 3, 2]);
  });

  it('is distinguished from others of the same step', () => {
    for (const column of [steps(0, 0, 0, 1, 1), steps(3, 0, 3, 1, 3), steps(7), steps(0, 1, 0, 1)]) {
      column.forEach((_, index) => expect(indexOf(column, positionAt(column, index))).toBe(index));
    }
    expect(indexOf(steps(0, 0, 1), { step: 0, nth: 9 })).toBe(1);
  });

  it('stays the same after more have come, and the last one follows', () => {
    const [few, many] = [steps(0, 5, 10), steps(0, 5, 10, 15)];
    expect(indexOf(many, positionAt(few, 1))).toBe(1);
    expect([indexOf(few, 'last'), indexOf(many, 'last'), indexOf(steps(), 'last')]).toEqual([2, 3, -1]);
  });

  it('is found fast among 20,000', () => {
    const column = Float64Array.from({ length: 20_000 }, (_, i) => i * 3);
    let right = 0;
    const began = performance.now();
    for (let i = 0; i < 20_000; i++) right += Number(indexOf(column, { step: i * 3, nth: 0 }) === i);
    expect(performance.now() - began).toBeLessThan(1000); // one after the other, 400 million comparisons
    expect(right).toBe(20_000);
  });
});

describe('a slider', () => {
  it('moves by keys, and not beyond its ends', () => {
    const to = (key: string, index: number, count = 100): number | null => indexAfter(key, index, count);
    expect([to('ArrowLeft', 5), to('ArrowRight', 5), to('ArrowDown', 0), to('ArrowUp', 99)]).toEqual([4, 6, 0, 99]);
    expect([to('PageUp', 5), to('PageDown', 5), to('Home', 5), to('End', 5), to('PageUp', 1, 4)]).toEqual([
      15, 0, 0, 99, 2,
    ]);
    expect([to('x', 5), to('End', 0, 0)]).toEqual([null, null]);
  });

  it('says where it stands', () => {
    for (const stand of [
      'last',
      { step: 0, nth: 0 },
      { step: -12, nth: 3 },
      { step: 2 ** 60, nth: 0 },
      { step: 1e21, nth: 1 },
    ] as const) {
      expect(parseStand(standText(stand))).toEqual(stand);
    }
    expect(['', 'x', '1~', '1.5', '~2'].map(parseStand)).toEqual([null, null, null, null, null]);
  });

  it('marks restarts', () => {
    expect(restartsIn(steps(0, 1, 2, 1, 2, 0))).toEqual([3, 5]);
    expect(restartsIn(steps(0, 0, 1))).toEqual([]);
  });
});
