import { expect, test } from 'vitest';
import type { PipelineOperator } from '../answers/pipeline';
import { bottlenecks, inDataOrder } from './pipeline_order';

const operator = (
  id: number,
  parent: number | null,
  children: readonly number[],
  usage: number | null = null,
): PipelineOperator => ({
  id,
  type: `op${id}`,
  workers: 1,
  parent,
  children,
  queue: usage === null ? null : { capacity: 10, average: usage * 10, usage, samples: [] },
  cpu: null,
});

test('data come from above', () => {
  const chain = [operator(0, null, [1]), operator(1, 0, [2]), operator(2, 1, [])];
  expect(inDataOrder(chain).map(({ operator: { id }, level }) => [id, level])).toEqual([
    [2, 0],
    [1, 0],
    [0, 0],
  ]);
});

test('branches stand before what joins them, one further to the right', () => {
  const zip = [operator(0, null, [1, 3]), operator(1, 0, [2]), operator(2, 1, []), operator(3, 0, [])];
  expect(inDataOrder(zip).map(({ operator: { id }, level }) => [id, level])).toEqual([
    [2, 0],
    [1, 0],
    [3, 1],
    [0, 0],
  ]);
});

test('a ring ends somewhere', () => {
  expect(inDataOrder([operator(0, 1, [1]), operator(1, 0, [0])])).toHaveLength(2);
});

test('who has full inputs and an empty output holds all up', () => {
  expect([...bottlenecks([operator(0, null, [1], null), operator(1, 0, [2], 0.1), operator(2, 1, [], 0.95)])]).toEqual([
    1,
  ]);
  expect([...bottlenecks([operator(1, null, [2], 0.1), operator(2, 1, [], 0.3)])]).toEqual([]);
  expect([...bottlenecks([operator(1, null, [], 0.1)])]).toEqual([]);
});
