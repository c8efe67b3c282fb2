import { expect, it } from 'vitest';
import { readLimits } from './axes';

const linear = { x: false, y: false };
const none = { x0: '', x1: '', y0: '', y1: '' };

it('limits are read per axis; an empty axis has none', () => {
  expect(readLimits(none, linear)).toEqual({ x: null, y: null });
  expect(readLimits({ ...none, y0: '-1e-3', y1: ' 2 ' }, linear)).toEqual({ x: null, y: [-0.001, 2] });
  expect(readLimits({ x0: '0', x1: '10', y0: '', y1: '' }, linear)).toEqual({ x: [0, 10], y: null });
});

it('limits that cannot be shown are refused with the reason', () => {
  expect(readLimits({ ...none, x0: '1' }, linear)).toBe('limits.both');
  expect(readLimits({ ...none, y0: '1', y1: 'two' }, linear)).toBe('limits.number');
  expect(readLimits({ ...none, y0: '2', y1: '2' }, linear)).toBe('limits.order');
  expect(readLimits({ ...none, y0: '0', y1: '2' }, { x: false, y: true })).toBe('limits.positive');
});
