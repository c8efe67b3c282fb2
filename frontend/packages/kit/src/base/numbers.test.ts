import { describe, expect, it, test } from 'vitest';
import { evenTicks, exactAt, floats, multiples, niceStep, picked, spliced, WHOLE_DIGITS } from './numbers';

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

const B = 2n ** 53n;
const steps = floats(BigInt64Array.of(5n, B + 1n, B + 3n, -(2n ** 63n)));

test('a column of whole numbers keeps all of their digits', () => {
  expect([0, 1, 2, 3].map((at) => exactAt(steps, at))).toEqual([5, B + 1n, B + 3n, -(2n ** 63n)]);
  expect(exactAt(steps, 9)).toBeNaN();
  expect(exactAt(floats(BigInt64Array.of(7n)), 0)).toBe(7);
});

test('parts of columns keep them, too', () => {
  expect([...picked(steps, [2, 0]).keys()].map((at) => exactAt(picked(steps, [2, 0]), at))).toEqual([B + 3n, 5]);
  const both = spliced(steps, 2, floats(BigInt64Array.of(B + 7n)));
  expect([0, 1, 2].map((at) => exactAt(both, at))).toEqual([5, B + 1n, B + 7n]);
  const safe = spliced(floats(BigInt64Array.of(1n)), 1, floats(BigInt64Array.of(B + 9n)));
  expect([0, 1].map((at) => exactAt(safe, at))).toEqual([1, B + 9n]);
  expect([...spliced(Float64Array.of(0.5, NaN), 2, Float64Array.of(1))]).toEqual([0.5, NaN, 1]);
});
