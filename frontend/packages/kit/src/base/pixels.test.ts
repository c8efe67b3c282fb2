import { describe, expect, it } from 'vitest';
import { snapped } from './pixels';

describe('size of a canvas in device pixels', () => {
  it.each([
    [1, 278, 319.33, 319],
    [1, 611.67, 319.33, 319],
    [1, 610.5, 319, 319],
    [1, 610.33, 319.33, 320],
    [1.25, 0, 255.2, 319],
    [1.25, 10.4, 100, 125],
    [1.5, 0.33, 319.33, 479],
    [2, 278.25, 319.33, 638],
  ])(
    'at ratio %d from %d, %d CSS pixels wide, lies between two edges of device pixels',
    (ratio, start, length, pixels) => {
      expect(snapped(start, length, ratio)).toBe(pixels);
    },
  );
});
