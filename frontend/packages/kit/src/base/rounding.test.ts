import { describe, expect, it } from 'vitest';
import { evenTicks, multiples, niceStep, WHOLE_DIGITS } from './rounding';

describe('round numbers', () => {
  it('are steps of few digits', () => {
    expect([0.3, 0.2, 1.1, 2.2, 7, 1e300].map((size) => niceStep(size))).toEqual([0.5, 0.2, 2, 2.5, 10, 1e300]);
    expect([2.2, 30].map((size) => niceStep(size, WHOLE_DIGITS))).toEqual([5, 50]);
    expect([0, -1, NaN, Infinity].map((size) => niceStep(size))).toEqual([1, 1, 1, 1]);
  });

  it('are within a range, and as many as there is room for', () => {
    expect(evenTicks(-0.117, 0.0195, 5, WHOLE_DIGITS)).toEqual([-0.1, -0.05, 0]);
    expect(evenTicks(0, 1, 4)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(evenTicks(3, 3, 4)).toEqual([3]);
    expect(multiples(0, 1e6, 1)).toEqual([]);
  });

  it.each([
    [0, 1],
    [-1e-9, 1e-9],
    [3, 3.0001],
    [0, 1e300],
  ])('from %d to %d are some', (low, high) => {
    const ticks = evenTicks(low, high, 6, WHOLE_DIGITS);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThan(13);
    expect(ticks.every((tick) => tick >= low && tick <= high)).toBe(true);
  });
});
