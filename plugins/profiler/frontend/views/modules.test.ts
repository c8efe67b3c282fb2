import { expect, test } from 'vitest';
import { nodesOf } from './modules';

test('a module has the time of what is in it; what is in none counts in the total alone', () => {
  const nodes = nodesOf([
    { scope: 'net/conv', time: 60, calls: 4 },
    { scope: 'net/fc/mm', time: 20, calls: 1 },
    { scope: 'net/fc', time: 10, calls: 2 },
    { scope: '', time: 10, calls: 9 },
  ]);
  expect(nodes.names).toEqual(['net', 'conv', 'fc', 'mm']);
  expect(nodes.parent).toEqual([-1, 0, 0, 2]);
  expect(nodes.whole).toEqual([90, 60, 30, 20]);
  expect(nodes.own).toEqual([0, 60, 10, 20]);
  expect(nodes.count).toEqual([0, 4, 2, 1]);
  expect(nodes.total).toBe(100);
});
