import { expect, test } from 'vitest';
import { figuresOf } from './figures';

test('of peak is the last figure, where it is known', () => {
  expect(figuresOf({ busy: 0.6, late: 0.2, waiting: 0.1, of_peak: 0.5 })).toEqual({
    busy: 0.6,
    late: 0.2,
    of_peak: 0.5,
  });
});

test('else the larger part of what is idle: together they are the whole step', () => {
  expect(figuresOf({ busy: 0.65, late: 0.2, waiting: 0.13 })).toEqual({ busy: 0.65, late: 0.2, waiting: 0.13 });
  const ofRanks = figuresOf({ busy: 0.02, late: 0.03, waiting: 0.12 });
  expect(Object.keys(ofRanks)).toEqual(['busy', 'late', 'otherwise']);
  expect(ofRanks.otherwise).toBeCloseTo(0.83);
});

test('a share below one percent is no figure, and one that is not known neither', () => {
  expect(figuresOf({ busy: 0.99, late: 0.005, waiting: 0.004 })).toEqual({ busy: 0.99, late: 0.005 });
  expect(figuresOf({ busy: 0.5 })).toEqual({ busy: 0.5 });
});
