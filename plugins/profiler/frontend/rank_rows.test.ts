import { expect, it } from 'vitest';
import { rankRows } from './rank_rows';

it('has a row for each rank of the job while some are read', () => {
  expect(rankRows([2, 5], 6)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(rankRows([2, 5], 0)).toEqual([2, 5]);
});

it('puts ranks without a known number after the others, where only a part of the job was profiled', () => {
  expect(rankRows([0, 8, 16], 2)).toEqual([0, 8, 16, null, null]);
});
