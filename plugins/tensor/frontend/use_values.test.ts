import { expect, it } from 'vitest';
import { heatOf } from './use_values';

it('colours by the share of the largest of its sign', () => {
  const extremes = { min: -2, max: 8 };
  expect(heatOf({ real: 4 }, extremes)).toEqual({ sign: 'positive', share: 0.5 });
  expect(heatOf({ real: -2 }, extremes)).toEqual({ sign: 'negative', share: 1 });
  expect(heatOf({ real: 100n }, extremes)).toEqual({ sign: 'positive', share: 1 });
});

it('does not colour non-finite values', () => {
  const extremes = { min: -2, max: 8 };
  for (const real of [0, NaN, Infinity, -Infinity]) expect(heatOf({ real }, extremes)).toBeNull();
  expect(heatOf({ real: 1, text: '1' }, extremes)).toBeNull();
  expect(heatOf({ real: 1, imaginary: 2 }, extremes)).toBeNull();
  expect(heatOf({ real: 1 }, { min: NaN, max: NaN })).toBeNull();
});
