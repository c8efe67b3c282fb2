import { describe, expect, it } from 'vitest';
import { differenceOf } from './pair';

const bytes = (...values: number[]): Uint8ClampedArray => new Uint8ClampedArray(values);

describe('the difference of two pictures', () => {
  it('is by channel, either way, and opaque', () => {
    const found = differenceOf(bytes(10, 20, 30, 255, 0, 0, 0, 255), bytes(13, 20, 10, 255, 0, 0, 0, 255), 1);
    expect([...found.pixels]).toEqual([3, 0, 20, 255, 0, 0, 0, 255]);
    expect([found.largest, found.differing]).toEqual([20, 1]);
    expect(found.mean).toBeCloseTo(23 / 6);
  });

  it('is multiplied in the picture and not in the numbers', () => {
    const found = differenceOf(bytes(10, 100, 0, 255), bytes(20, 200, 0, 255), 16);
    expect([...found.pixels]).toEqual([160, 255, 0, 255]);
    expect(found.largest).toBe(100);
  });

  it('counts a pixel that differs in alpha alone', () => {
    expect(differenceOf(bytes(1, 2, 3, 255), bytes(1, 2, 3, 0), 1).differing).toBe(1);
    expect(differenceOf(bytes(), bytes(), 1)).toMatchObject({ largest: 0, mean: 0, differing: 0 });
  });
});
