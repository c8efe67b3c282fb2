import { expect, test } from 'vitest';
import { exactAt, floats, picked, spliced } from './columns';

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
