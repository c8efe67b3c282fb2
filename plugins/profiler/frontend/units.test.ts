import { expect, test } from 'vitest';
import { powerText, shareText, shortShare, summandTexts, timeCell, timeText, unitOf } from './units';

test('chooses the largest unit in which the value is at least 1', () => {
  expect([0, 999, 1e3, 999_999, 1e6, 1e9].map(unitOf)).toEqual(['ns', 'ns', 'us', 'us', 'ms', 's']);
  expect(unitOf(-2e6)).toBe('ms');
});

test('cells of a column have the same number of digits', () => {
  expect(timeCell(1_056_366_000, 'ms', 'en')).toBe('1,056.366');
  expect(timeCell(500, 'ms', 'en')).toBe('0.001');
  expect(timeCell(500, 'ns', 'en')).toBe('500');
});

test('a time alone has its unit', () => {
  expect(timeText(1_056_366_000, 'en')).toBe('1.056 s');
  expect(timeText(16_505_700, 'en')).toBe('16.51 ms');
  expect(timeText(123_456, 'en')).toBe('123.5 µs');
  expect(timeText(0, 'en')).toBe('0 ns');
});

test('shares and operations', () => {
  expect(shareText(0.64724, 'en')).toBe('64.72 %');
  expect(shortShare(0.42, 'en')).toBe('42 %');
  expect(shortShare(0.045, 'en')).toBe('4.5 %');
  expect(powerText(8.168e9, 'FLOP', 'en')).toBe('8.168 GFLOP');
  expect(powerText(12, 'FLOP', 'en')).toBe('12 FLOP');
});

test('parts of a size are rounded so that they add up to it', () => {
  expect(summandTexts(21_170_000, 1_070_000, 'en')).toEqual(['21.17 MB', '20.10 MB', '1.07 MB']);
  for (const [whole, second] of [
    [10_006_000, 5_003_000],
    [1_999_999, 1],
    [999, 998],
    [1_234_567_890, 1_004_999],
  ] as const) {
    const [sum, first, rest] = summandTexts(whole, second, 'en').map(Number.parseFloat);
    expect((first ?? 0) + (rest ?? 0)).toBeCloseTo(sum ?? NaN, 6);
  }
});
