import { expect, test } from 'vitest';
import { holds, pressed, stepsCodec } from './steps';

test('ranges of steps go through the URL', () => {
  expect(stepsCodec.parse('7')).toEqual({ first: 7, last: 7 });
  expect(stepsCodec.parse('2-5')).toEqual({ first: 2, last: 5 });
  expect(stepsCodec.parse('5-2')).toEqual({ first: 2, last: 5 });
  for (const text of [null, '', 'x', '1-', '-3', '1-2-3', '9'.repeat(20)]) expect(stepsCodec.parse(text)).toBeNull();
  expect(stepsCodec.format({ first: 2, last: 5 })).toBe('2-5');
  expect(stepsCodec.format({ first: 4, last: 4 })).toBe('4');
  expect(stepsCodec.format(null)).toBeNull();
});

test('a press chooses a step, with Shift all up to it, and the same step again lets all count', () => {
  expect(pressed(null, 3, false)).toEqual({ first: 3, last: 3 });
  expect(pressed({ first: 3, last: 3 }, 3, false)).toBeNull();
  expect(pressed({ first: 3, last: 3 }, 6, true)).toEqual({ first: 3, last: 6 });
  expect(pressed({ first: 3, last: 6 }, 1, true)).toEqual({ first: 1, last: 6 });
  expect(pressed({ first: 3, last: 6 }, 4, false)).toEqual({ first: 4, last: 4 });
  expect(pressed(null, 4, true)).toEqual({ first: 4, last: 4 });
});

test('without a range every step counts', () => {
  expect(holds(null, 9)).toBe(true);
  expect(holds({ first: 2, last: 4 }, 4)).toBe(true);
  expect(holds({ first: 2, last: 4 }, 5)).toBe(false);
});
