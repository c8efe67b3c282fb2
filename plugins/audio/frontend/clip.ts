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
