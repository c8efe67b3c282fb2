import type { Clip } from './clip';

export interface Bar {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * One bar for each column of the waveform, in device pixels; each touches the one before, and silence is a line of one
 * pixel.
 */
export function waveform({ low, high }: Pick<Clip, 'low' | 'high'>, columns: number, rows: number): readonly Bar[] {
  const y = (value: number): number => Math.round(((1 - Math.max(-1, Math.min(1, value))) / 2) * (rows - 1));
  return Array.from(low, (lowest, i) => {
    const left = Math.round((i / low.length) * columns);
    const top = y(Math.max(high[i] ?? 0, low[i - 1] ?? -1));
    const bottom = y(Math.min(lowest, high[i - 1] ?? 1));
    return {
      left,
      top,
      width: Math.max(1, Math.round(((i + 1) / low.length) * columns) - left),
      height: bottom - top + 1,
    };
  });
}

/**
 * The spectrogram in one colour, louder is more opaque: it fits either theme. The highest band is the first row; null
 * without samples.
 */
export function spectrogramPixels(
  { spectrogram, bands }: Pick<Clip, 'spectrogram' | 'bands'>,
  [red, green, blue]: readonly [number, number, number],
): ImageData | null {
  const columns = bands > 0 ? Math.floor(spectrogram.length / bands) : 0;
  if (columns === 0) return null;
  const pixels = new Uint8ClampedArray(columns * bands * 4);
  const [color] = new Uint32Array(Uint8ClampedArray.of(red, green, blue, 0).buffer);
  new Uint32Array(pixels.buffer).fill(color as number);
  for (let x = 0; x < columns; x++)
    for (let band = 0; band < bands; band++)
      pixels[((bands - 1 - band) * columns + x) * 4 + 3] = spectrogram[x * bands + band] ?? 0;
  return new ImageData(pixels, columns, bands);
}
