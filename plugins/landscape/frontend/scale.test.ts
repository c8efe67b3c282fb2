import { describe, expect, it } from 'vitest';
import { css, parsed, rampColor, RAMP_NAMES, RAMPS } from './ramps';
import { levelsOf, lossScale, sharedExtent, sharedScale, numberTexts, scaleTexts } from './scale';
import { landscapeOf } from './testing';

describe('numbers of one scale', () => {
  it('have the digits that tell them apart', () => {
    expect(numberTexts([1000000, 1000002.5, 1000005, 1000007.5])).toEqual([
      '1000000',
      '1000002.5',
      '1000005',
      '1000007.5',
    ]);
    expect(numberTexts([-1.9999, 5.39e-5, 2])).toEqual(['−2', '0', '2']);
    expect(numberTexts([0.14489, 0.5439, 0.943])).toEqual(['0.145', '0.544', '0.943']);
    expect(numberTexts([0, 1e22, 2e22])).toEqual(['0', '1e22', '2e22']);
    expect(numberTexts([1.3149e-33, 2.5e-31])).toEqual(['1e−33', '2.5e−31']);
    expect([numberTexts([3]), numberTexts([2.5, 2.5]), numberTexts([])]).toEqual([['3'], ['2.5', '2.5'], []]);
  });
  it('are not rounded to nothing on a logarithmic scale', () => {
    expect(scaleTexts(lossScale(0.001, 1e6, true), 2)).toEqual(['0.001', '31.6', '1000000']);
    expect(scaleTexts(lossScale(0, 4, false), 4)).toEqual(['0', '1', '2', '3', '4']);
  });
});

describe('a scale of losses', () => {
  it.each([
    [1, 100, false],
    [1, 100, true],
    [-3, 5, true],
    [0, 5, true],
  ])('goes from %d to %d and back, logarithmic: %s', (low, high, log) => {
    const scale = lossScale(low, high, log);
    expect(scale.share(low)).toBeCloseTo(0, 9);
    expect(scale.share(high)).toBeCloseTo(1, 9);
    for (const share of [0, 0.2, 0.7, 1]) expect(scale.share(scale.loss(share))).toBeCloseTo(share, 9);
  });

  it('has levels in equal ratios when it is logarithmic', () => {
    const levels = levelsOf(lossScale(1, 10_000, true), 3);
    [10, 100, 1000].forEach((level, i) => expect(levels[i]).toBeCloseTo(level, 6));
    expect(levelsOf(lossScale(0, 5, false), 4)).toEqual([1, 2, 3, 4]);
  });

  it('has none where all losses are equal, or there are none', () => {
    expect(levelsOf(lossScale(2, 2, true), 10)).toEqual([]);
    expect(lossScale(2, 2, false).share(2)).toBe(0.5);
    expect(levelsOf(sharedScale([landscapeOf([0, 1], [0, 1], [NaN, NaN, NaN, NaN])], false), 10)).toEqual([]);
  });

  it('is that of all landscapes together', () => {
    const two = [landscapeOf([0, 1], [0, 1], [1, 2, 3, Infinity]), landscapeOf([-5, 1], [0, 9], [-1, 2, 3, 0])];
    expect(sharedScale(two, false)).toMatchObject({ low: -1, high: 3 });
    expect(sharedExtent(two)).toEqual({ x: [-5, 1], y: [0, 9] });
  });
});

it.each(RAMP_NAMES)('%s begins and ends with its first and last stop', (name) => {
  const stops = RAMPS[name];
  expect(css(rampColor(name, 0))).toBe(stops[0]);
  expect(css(rampColor(name, 1))).toBe(stops.at(-1));
  expect(css(rampColor(name, -7))).toBe(stops[0]);
  expect(parsed(stops[0])).toHaveLength(3);
});
