import type { Columns } from '@insight-host/api';
import { floats } from '@insight-host/kit';

/** Facts of a recorded file, and its pictures. */
export interface Clip {
  /** Of the record. */
  readonly clips: number;
  readonly label: string;
  /** Hz. */
  readonly rate: number;
  readonly channels: number;
  readonly bits: number;
  /** Samples of each channel. */
  readonly seconds: number;
  /** Lowest and highest sample of each column, from -1 to 1. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Loudness from 0 to 255, column by column, the lowest of `bands` first. */
  readonly spectrogram: ArrayLike<number>;
  readonly bands: number;
}

export function clipOf(columns: Columns): Clip {
  const said = JSON.parse(columns.metadata['clip'] ?? '{}') as Readonly<Record<string, unknown>>;
  const count = (name: string): number => Number(said[name] ?? 0);
  return {
    clips: count('clips'),
    label: String(said['label'] ?? ''),
    rate: count('rate'),
    channels: count('channels'),
    bits: count('bits'),
    seconds: count('frames') / Math.max(1, count('rate')),
    low: floats(columns.column('low')),
    high: floats(columns.column('high')),
    spectrogram: floats(columns.column('spectrogram')),
    bands: count('bands'),
  };
}

/** Time as 0:02.45 */
export function clockText(seconds: number): string {
  const hundredths = Math.round(Math.max(0, seconds) * 100);
  const rest = (hundredths % 6000) / 100;
  return `${Math.floor(hundredths / 6000)}:${rest.toFixed(2).padStart(5, '0')}`;
}

interface Bar {
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
