import { describe, expect, it } from 'vitest';
import { clockText, spectrogramPixels, waveform } from './clip';

describe('the picture of a clip', () => {
  it('has a bar for each column, a line where there is silence, and stays within its rows', () => {
    const bars = waveform({ low: new Float64Array([0, -1, -9]), high: new Float64Array([0, 1, 9]) }, 9, 11);
    expect(bars).toEqual([
      { left: 0, top: 5, width: 3, height: 1 },
      { left: 3, top: 0, width: 3, height: 11 },
      { left: 6, top: 0, width: 3, height: 11 },
    ]);
  });

  it('is one line where columns do not overlap', () => {
    const bars = waveform({ low: new Float64Array([1, -1]), high: new Float64Array([1, -1]) }, 2, 11);
    expect(bars.map(({ top, height }) => [top, height])).toEqual([
      [0, 1],
      [0, 11],
    ]);
  });

  it('covers all columns where there are more samples than pixels', () => {
    const bars = waveform({ low: new Float64Array(10), high: new Float64Array(10) }, 4, 5);
    expect(new Set(bars.map(({ left }) => left))).toEqual(new Set([0, 1, 2, 3, 4]));
  });

  it('has low frequencies at the bottom, loud ones opaque', () => {
    const pixels = spectrogramPixels({ spectrogram: [10, 20, 30, 40], bands: 2 }, [1, 2, 3]);
    expect([pixels?.width, pixels?.height]).toEqual([2, 2]);
    expect([...(pixels?.data ?? [])]).toEqual([1, 2, 3, 20, 1, 2, 3, 40, 1, 2, 3, 10, 1, 2, 3, 30]);
    expect(spectrogramPixels({ spectrogram: [], bands: 2 }, [1, 2, 3])).toBeNull();
  });

  it('says times to the hundredth of a second', () => {
    expect([0, 1.5, 59.999, 61.25].map(clockText)).toEqual(['0:00.00', '0:01.50', '1:00.00', '1:01.25']);
  });
});
