import { describe, expect, it } from 'vitest';
import { pixelText } from './pane';

describe('the value of a pixel', () => {
  it.each([
    [[1, 20, 255, 255], '1 20 255'],
    [[70, 90, 114, 127], '≈ 70 90 114 127'],
    [[0, 0, 0, 0], '– – – 0'],
  ] as const)('of %j is %s', (value, text) => {
    expect(pixelText(value)).toBe(text);
  });
});
