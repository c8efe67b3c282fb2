import { expect, test } from 'vitest';
import type { MemoryCurve } from '../answers/memory';
import { alikeOf } from './memory';

const curve = (device: string, label: string, high: number): MemoryCurve => ({
  device,
  label,
  unit: 'bytes',
  points: 1,
  time: [0],
  minimum: [high],
  maximum: [high],
  last: [high],
});

test('curves of one size are in one picture', () => {
  const groups = alikeOf([
    curve('gpu', 'reserved', 1e9),
    curve('gpu', 'allocated', 2e6),
    curve('gpu', 'active', 1e6),
    curve('cpu', 'allocated', 1e9),
  ]);
  expect(groups.map((group) => group.map(({ label }) => label))).toEqual([
    ['allocated'],
    ['allocated', 'active'],
    ['reserved'],
  ]);
  expect(alikeOf([])).toEqual([]);
  expect(
    alikeOf([curve('cpu', 'reserved', 0), curve('cpu', 'allocated', 5)])
      .flat()
      .map(({ label }) => label),
  ).toEqual(['allocated']);
  expect(alikeOf([curve('cpu', 'reserved', 0)])).toHaveLength(1);
});
