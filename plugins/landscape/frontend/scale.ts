import { valueText } from '@insight-host/kit';
import type { Landscape } from './landscape';

/**
 * Losses as shares of a range, 0 to 1; the same for colours, heights and lines, and for all landscapes side by side.
 */
export interface LossScale {
  readonly low: number;
  readonly high: number;
  readonly log: boolean;
  share(loss: number): number;
  loss(share: number): number;
}

const ROOM = 1e-3; // of the range, below a smallest loss that has no logarithm

export function lossScale(low: number, high: number, log: boolean): LossScale {
  const range = high - low;
  if (!(range > 0)) return { low, high, log, share: () => 0.5, loss: () => low };
  if (!log) return { low, high, log, share: (loss) => (loss - low) / range, loss: (share) => low + share * range };
  const base = low > 0 ? 0 : low - ROOM * range;
  const span = Math.log((high - base) / (low - base));
  return {
    low,
    high,
    log,
    share: (loss) =>
      loss > base ? Math.log((loss - base) / (low - base)) / span : loss === -Infinity || loss <= base ? 0 : NaN,
    loss: (share) => base + (low - base) * Math.exp(share * span),
  };
}

/** Of all these landscapes and their paths. */
export function sharedScale(landscapes: readonly Landscape[], log: boolean): LossScale {
  let [low, high] = [Infinity, -Infinity];
  for (const landscape of landscapes) {
    if (landscape.low < low) low = landscape.low;
    if (landscape.high > high) high = landscape.high;
  }
  return low <= high ? lossScale(low, high, log) : lossScale(0, 0, false);
}

/** Numbers side by side, each with as many digits as tell it from its neighbours, and no fewer than `least`. */
export function numberTexts(values: readonly number[], least = 0): readonly string[] {
  return values.map((value, i) => {
    const gaps = [values[i - 1], values[i + 1]]
      .map((other) => Math.abs((other ?? NaN) - value))
      .filter((gap) => gap > 0);
    if (gaps.length === 0) return valueText(value);
    const last = Math.floor(Math.log10(Math.min(...gaps))) - 2; // the power of ten of the last digit
    const size = Math.abs(value);
    const digits = size > 0 ? Math.min(15, Math.max(least, Math.floor(Math.log10(size)) - last + 1)) : 0;
    if (digits < 1) return '0';
    const rounded = Number(size.toPrecision(digits));
    const isLong = rounded >= 1e7 || rounded < 1e-4;
    const text = isLong
      ? rounded
          .toExponential(digits - 1)
          .replace(/\.?0+e/, 'e')
          .replace('e+', 'e')
          .replace('e-', 'e−')
      : String(rounded);
    return value < 0 ? `−${text}` : text;
  });
}

/** Losses that are evenly on the scale, the smallest first, `count` steps between them. */
export function scaleTexts(scale: LossScale, count: number): readonly string[] {
  return numberTexts(
    Array.from({ length: count + 1 }, (_, n) => scale.loss(n / count)),
    scale.log ? 3 : 0,
  );
}

/** So many losses, evenly between the smallest and the largest. */
export function levelsOf(scale: LossScale, count: number): readonly number[] {
  return scale.high > scale.low ? Array.from({ length: count }, (_, i) => scale.loss((i + 1) / (count + 1))) : [];
}

export interface Extent {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

/** Of the plane, over all these landscapes. */
export function sharedExtent(landscapes: readonly Landscape[]): Extent {
  const range = (axis: 'x' | 'y'): [number, number] => {
    const ends = landscapes.flatMap(({ [axis]: values }) => [values[0] as number, values.at(-1) as number]);
    return [Math.min(...ends), Math.max(...ends)];
  };
  return { x: range('x'), y: range('y') };
}
