import { expect, it } from 'vitest';
import { compared, ordered, sortOf, sortText, turned, type Value } from './contract';

const sorted = (values: readonly Value[], down: boolean): readonly Value[] =>
  [...values].sort((a, b) => compared(a, b, down));

it('numbers are sorted by size, and what is missing is last in either direction', () => {
  expect(sorted([3, null, -1, NaN, 20], false)).toEqual([-1, 3, 20, null, NaN]);
  expect(sorted([3, null, -1, NaN, 20], true)).toEqual([20, 3, -1, null, NaN]);
  expect(sorted([2n ** 63n, 1, 2n ** 63n - 1n], false)).toEqual([1, 2n ** 63n - 1n, 2n ** 63n]);
  expect(sorted([Infinity, 0, -Infinity], false)).toEqual([-Infinity, 0, Infinity]);
});

it('texts are sorted in natural order', () =>
  expect(sorted(['run10', 'run9', 'run1'], false)).toEqual(['run1', 'run9', 'run10']));

it('rows that are equal in one column are sorted by the next, and then keep their order', () => {
  const rows = [
    { a: 1, b: 'y', n: 0 },
    { a: 2, b: 'x', n: 1 },
    { a: 1, b: 'x', n: 2 },
    { a: 1, b: 'x', n: 3 },
  ];
  const order = ordered(
    rows,
    [
      { key: 'a', down: true },
      { key: 'b', down: false },
    ],
    (row, key) => row[key as 'a'],
  );
  expect(order.map(({ n }) => n)).toEqual([1, 2, 3, 0]);
});

it('a press on a head turns its order, and with Shift keeps the others', () => {
  const once = turned([], 'a', false, true);
  expect(once).toEqual([{ key: 'a', down: true }]);
  expect(turned(once, 'a', false, true)).toEqual([{ key: 'a', down: false }]);
  expect(turned(once, 'b', false, false)).toEqual([{ key: 'b', down: false }]);
  const both = turned(once, 'b', true, false);
  expect(both).toEqual([
    { key: 'a', down: true },
    { key: 'b', down: false },
  ]);
  expect(turned(both, 'a', true, true)).toEqual([
    { key: 'a', down: false },
    { key: 'b', down: false },
  ]);
});

it('an order is a text in URLs', () =>
  expect([sortOf('-p95'), sortOf('name'), sortText(sortOf('-p95'))]).toEqual([
    { key: 'p95', down: true },
    { key: 'name', down: false },
    '-p95',
  ]));
